#include "symbol/debug_places.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstdio>

namespace profile {
namespace {

// Looks at a place without touching what is there.
Fd place_at(int directory, const std::string& path, std::uint64_t flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | flags;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
}

// Opens what was looked at, and nothing that has taken its place since.
Fd reopened(const Fd& place) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", place.get());
  return Fd(::open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

bool is_file_with_content(const struct stat& found) { return S_ISREG(found.st_mode) && found.st_size > 0; }

}  // namespace

Fd open_listed(const std::string& path) {
  const Fd place = place_at(AT_FDCWD, path, 0, 0);
  struct stat found {};
  if (!place || ::fstat(place.get(), &found) != 0 || !is_file_with_content(found)) return {};
  return reopened(place);
}

std::optional<Beside> Beside::of(int fd, std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string_view::npos) return std::nullopt;
  Fd directory = place_at(AT_FDCWD, std::string(path.substr(0, slash + 1)), O_DIRECTORY, 0);
  const std::string name(path.substr(slash + 1));
  if (!directory || name.empty()) return std::nullopt;
  const Fd itself =
      place_at(directory.get(), name, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
  struct stat wanted {};
  struct stat found {};
  if (!itself || ::fstat(fd, &wanted) != 0 || ::fstat(itself.get(), &found) != 0) return std::nullopt;
  if (wanted.st_dev != found.st_dev || wanted.st_ino != found.st_ino) return std::nullopt;
  return Beside(std::move(directory), wanted.st_uid);
}

Fd Beside::open(const std::string& name) const { return name.find('/') == std::string::npos ? open_below(name) : Fd(); }

Fd Beside::open_below(const std::string& path) const {
  const Fd place = place_at(directory_.get(), path, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
  struct stat found {};
  if (!place || ::fstat(place.get(), &found) != 0 || !is_file_with_content(found)) return {};
  if (found.st_uid != 0 && found.st_uid != owner_) return {};
  return reopened(place);
}

}  // namespace profile
