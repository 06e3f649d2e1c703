#include "input/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "support/error.h"
#include "support/fd.h"

namespace profile {

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
  constexpr std::size_t at_once = std::size_t{1} << 18;
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

}  // namespace profile
