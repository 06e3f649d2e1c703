#include "process/user_namespaces.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <sstream>
#include <string>

#include "support/fd.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr std::uint64_t not_known = UINT64_MAX;
constexpr std::size_t most_map_bytes = std::size_t{64} << 10;  // the kernel allows 340 lines

std::uint64_t number_at(const std::string& process) {
  struct stat found {};
  return ::stat(("/proc/" + process + "/ns/user").c_str(), &found) == 0 ? found.st_ino : not_known;
}

}  // namespace

UserNamespaces::UserNamespaces() : own_(number_at("self")) {}

std::uint64_t UserNamespaces::number_of(std::uint32_t tgid) const {
  const std::uint64_t number = number_at(std::to_string(tgid));
  return number == own_ ? 0 : number;
}

std::uint32_t UserNamespaces::maker_for(std::uint32_t tgid) const {
  Fd place(::open(("/proc/" + std::to_string(tgid) + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  uid_t maker = 0;
  constexpr int most_nested = 40;  // the kernel allows 32
  for (int depth = 0; place && depth < most_nested; ++depth) {
    struct stat found {};
    if (::fstat(place.get(), &found) != 0 || found.st_ino == own_) break;
    if (::ioctl(place.get(), NS_GET_OWNER_UID, &maker) != 0) return 0;
    place = Fd(::ioctl(place.get(), NS_GET_PARENT));
  }
  return maker;
}

std::uint32_t UserNamespaces::user_behind(std::uint32_t uid, std::uint32_t tgid) {
  const std::uint32_t maker = uid != 0 ? maker_for(tgid) : 0;
  if (maker == 0) return user_of(uid);
  const auto map = read_text_file("/proc/" + std::to_string(tgid) + "/uid_map", most_map_bytes);
  return map && maps_user(*map, uid) ? maker : user_of(uid);
}

bool maps_user(std::string_view uid_map, std::uint32_t uid) {
  std::istringstream words{std::string(uid_map)};
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  while (words >> inside >> outside >> count) {
    if (uid >= outside && uid - outside < count) return true;
  }
  return false;
}

}  // namespace profile
