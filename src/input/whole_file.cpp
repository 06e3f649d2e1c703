#include "input/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <new>

#include "support/error.h"
#include "support/fd.h"

namespace profile {
namespace {

constexpr int gzip_window_bits = 15 + 16;  // the largest window; 16: with gzip's header
// Profiles compress to a tenth or a twentieth of their size. A small file that unpacks to more than 64 times its size
// (and more than `always_allowed`) is not a profile.
constexpr std::size_t highest_ratio = 64;
constexpr std::size_t always_allowed = std::size_t{64} << 20;
constexpr std::size_t at_once = std::size_t{1} << 18;  // read or unpacked

}  // namespace

std::string read_whole_file(const std::string& path) {
  const std::string name = name_of_input(path);
  const Fd fd(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) throw system_error("cannot read " + name, errno);
  const auto too_large = [&name] {
    return Error("cannot read " + name + ": larger than " + std::to_string(largest_profile_bytes >> 20) + " MB");
  };
  struct stat status {};
  std::string bytes;
  if (::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > largest_profile_bytes) throw too_large();
    bytes.reserve(size + 1);
  }
  for (;;) {
    const std::size_t begin = bytes.size();
    bytes.resize(std::max(bytes.capacity(), begin + at_once));
    const ssize_t got = ::read(fd.get(), bytes.data() + begin, bytes.size() - begin);
    const int error = errno;
    bytes.resize(begin + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return bytes;
    if (got < 0 && error != EINTR) throw system_error("cannot read " + name, error);
    if (bytes.size() > largest_profile_bytes) throw too_large();
  }
}

std::string gunzip(std::string_view bytes, const std::string& name) {
  const std::size_t limit = std::min(largest_profile_bytes, always_allowed + highest_ratio * bytes.size());
  z_stream stream{};
  if (::inflateInit2(&stream, gzip_window_bits) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, ::inflateEnd);

  // zlib's interface lacks const, but zlib does not write to its input. The input has at most 1 GB, and zlib's counters
  // hold 4 GB.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), UINT_MAX));
  std::string out;
  for (;;) {
    const std::size_t begin = out.size();
    out.resize(std::max(out.capacity(), begin + at_once));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size() - begin, UINT_MAX));
    const uInt room = stream.avail_out;
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    out.resize(begin + (room - stream.avail_out));
    if (out.size() > limit) {
      throw Error(name + ": unpacks to more than " + std::to_string(limit >> 20) +
                  " MB, so it is taken for no profile");
    }
    if (result == Z_STREAM_END) {
      if (stream.avail_in == 0) return out;
      if (::inflateReset(&stream) != Z_OK) throw std::bad_alloc();  // another member follows
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK) {
      // Z_BUF_ERROR: the output has room, so the input has ended too early.
      throw Error(name + ": " +
                  (result == Z_BUF_ERROR ? "cut off: the compressed data has no end"
                                         : "damaged: its compressed data cannot be unpacked"));
    }
  }
}

}  // namespace profile
