#include "process/perf_map_file.h"

#include <fcntl.h>

#include <optional>
#include <string>

#include "process/file_rights.h"
#include "process/proc_source.h"
#include "support/safe_open.h"

namespace profile {
namespace {

// Opens the file `name` in /tmp as seen from `root`, if it is a regular file with one link, no symbolic link and not
// mounted there: a user could mount any file of root in this place. `uid`: its owner must be this user, or root if the
// user may read it; nullopt: any owner. `tgid`: the process that sees the file so, 0 for ourselves.
Fd open_in_tmp(const std::string& root, std::uint32_t tgid, const std::string& name, std::optional<std::uint32_t> uid) {
  Mounts mounts;
  const Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd tmp = top ? open_path(top.get(), "tmp", O_DIRECTORY, RESOLVE_IN_ROOT) : Fd();
  if (!tmp) return {};
  const Fd place = open_path(tmp.get(), name, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
  const auto look = place ? look_at(place, mounts, tgid) : std::nullopt;
  if (!look || look->refusal != nullptr || look->found.stx_nlink != 1) return {};
  if (uid && look->found.stx_uid != *uid) {
    const auto rights = rights_of_process(tgid);
    const bool is_readable = may_read(look->found.stx_mode, look->found.stx_uid, look->found.stx_gid, rights);
    if (look->found.stx_uid != 0 || !is_readable) return {};
  }
  return reopen(place);
}

std::string map_name(std::uint32_t tgid) { return "perf-" + std::to_string(tgid) + ".map"; }

}  // namespace

Fd open_perf_map(std::uint32_t tgid) {
  const auto owner = owner_of_process(tgid);
  if (!owner) return open_in_tmp("/", 0, map_name(tgid), std::nullopt);
  Fd own = open_in_tmp("/proc/" + std::to_string(tgid) + "/root", tgid, map_name(owner->innermost_tgid), owner->uid);
  if (own) return own;
  return open_in_tmp("/", tgid, map_name(tgid), owner->uid);
}

}  // namespace profile
