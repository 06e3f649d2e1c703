#include "symbol/debug_places.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "support/place.h"

namespace profile {
namespace {

// What we see, if it can be read and is not empty.
std::optional<Look> look_at_file(const Fd& place) {
  Mounts mounts;
  auto look = place ? look_at(place, mounts, 0) : std::nullopt;
  if (look && (look->refusal != nullptr || look->found.stx_size == 0)) look.reset();
  return look;
}

}  // namespace

Fd open_listed(const std::string& path) {
  const Fd place = place_at(AT_FDCWD, path, 0, 0);
  return look_at_file(place) ? reopen(place) : Fd();
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
  const auto look = look_at_file(place);
  if (!look || (look->found.stx_uid != 0 && look->found.stx_uid != owner_)) return {};
  return reopen(place);
}

}  // namespace profile
