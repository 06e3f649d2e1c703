#include "support/file_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "support/file_status.h"

namespace profile {
namespace {

// Reading a page of a hole is ten times slower than reading a page that is there.
constexpr std::uint64_t steps_a_byte_of_holes = 8;
constexpr std::uint64_t most_growth = 4;  // a file that is only compressed is not larger than this

}  // namespace

FileBytes::FileBytes(int fd) {
  const auto status = status_of(fd);
  if (!status) return;
  fd_ = fd;
  size_bytes_ = status->size_bytes;
  if (status->allocated_bytes < status->size_bytes / most_growth) steps_a_byte_ = steps_a_byte_of_holes;
}

bool FileBytes::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_bytes_ || out.size() > size_bytes_ - offset) return false;
  if (memory_ != nullptr) {
    std::copy_n(memory_ + offset, out.size(), out.begin());
    return true;
  }
  while (!out.empty()) {
    const ssize_t got = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // 0: the file has become shorter
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace profile
