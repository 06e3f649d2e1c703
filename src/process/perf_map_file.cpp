#include "process/perf_map_file.h"

#include <fcntl.h>

#include <optional>
#include <string>

#include "process/file_rights.h"
#include "process/proc_source.h"
#include "support/safe_open.h"

namespace profile {
namespace {

// Which files are accepted.
struct Accepted {
  std::optional<std::uint32_t> owner;   // or root, if the process may read the file
  std::optional<ProcessRights> rights;  // of the process
};

// Opens the file `name` in /tmp as seen from `root`, if it is a regular file with one link, no symbolic link and not
// mounted there: a user could mount any file of root in this place. `tgid`: the process that sees the file so, 0 for
// ourselves.
Fd open_in_tmp(const std::string& root, std::uint32_t tgid, const std::string& name, const Accepted& accepted) {
  Mounts mounts;
  const Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  // We may pass directories that the user may not. So /tmp is no link, which the user of a container can make.
  const Fd tmp = top ? open_path(top.get(), "tmp", O_DIRECTORY, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS) : Fd();
  if (!tmp) return {};
  const Fd place = open_path(tmp.get(), name, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
  const auto look = place ? look_at(place, mounts, tgid) : std::nullopt;
  if (!look || look->refusal != nullptr || look->found.stx_nlink != 1) return {};
  if (look->found.stx_uid != accepted.owner) {
    const bool is_readable = may_read(look->found.stx_mode, look->found.stx_uid, look->found.stx_gid, accepted.rights);
    if (look->found.stx_uid != 0 || !is_readable) return {};
  }
  return reopen(place);
}

std::string map_name(std::uint32_t tgid) { return "perf-" + std::to_string(tgid) + ".map"; }

}  // namespace

PerfMapFile open_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> last_user) {
  // User and rights must be of one moment, so they come from one text.
  const auto status = status_of_process(tgid);
  const auto owner = status ? owner_in_status(*status) : std::nullopt;
  if (!owner) {
    const Accepted accepted{.owner = last_user, .rights = {}};
    return {.fd = open_in_tmp("/", 0, map_name(tgid), accepted), .uid = last_user};
  }
  const Accepted accepted{.owner = owner->uid, .rights = rights_in_status(*status)};
  const std::string root = "/proc/" + std::to_string(tgid) + "/root";
  PerfMapFile map{.fd = open_in_tmp(root, tgid, map_name(owner->innermost_tgid), accepted), .uid = owner->uid};
  if (!map.fd) map.fd = open_in_tmp("/", tgid, map_name(tgid), accepted);
  return map;
}

}  // namespace profile
