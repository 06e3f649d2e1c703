#include "files/caller.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "support/text_parts.h"

namespace profile {
namespace {

// nullopt also for the number that stands for no user, or for no change in chown(2).
std::optional<std::uint32_t> id_in(const char* text) {
  const auto id = text != nullptr ? parse_number<std::uint32_t>(text) : std::nullopt;
  return id == UINT32_MAX ? std::nullopt : id;
}

}  // namespace

Caller caller_of(uid_t effective_uid, const char* sudo_uid, const char* sudo_gid) {
  Caller caller{.uid = effective_uid, .sudo = std::nullopt};
  const auto uid = id_in(sudo_uid);
  const auto gid = id_in(sudo_gid);
  if (effective_uid == 0 && uid && gid && *uid != 0) caller.sudo = Caller::Sudo{.uid = *uid, .gid = *gid};
  return caller;
}

Caller current_caller() { return caller_of(::geteuid(), std::getenv("SUDO_UID"), std::getenv("SUDO_GID")); }

Fd make_file(int directory, const std::string& name, int flags, Readers readers) {
  const mode_t mode = readers == Readers::owner ? 0600 : 0644;
  Fd made(::openat(directory, name.c_str(), flags | O_WRONLY | O_CLOEXEC | O_NOCTTY, mode));
  if (made) hand_over(made, current_caller());
  return made;
}

void hand_over(const Fd& made, const Caller& caller) {
  if (!caller.sudo) return;
  [[maybe_unused]] const int refused = ::fchownat(made.get(), "", caller.sudo->uid, caller.sudo->gid, AT_EMPTY_PATH);
}

}  // namespace profile
