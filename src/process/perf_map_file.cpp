#include "process/perf_map_file.h"

#include <fcntl.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/place.h"
#include "support/text_file.h"

namespace profile {
namespace {

struct Owner {
  std::uint32_t uid = 0;
  std::uint32_t innermost_tgid = 0;
};

std::optional<std::uint32_t> to_number(std::string_view word) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

// nullopt once it is gone.
std::optional<Owner> owner_of(std::uint32_t tgid) {
  const auto status = read_text_file("/proc/" + std::to_string(tgid) + "/status");
  if (!status) return std::nullopt;
  const auto uids = find_field(*status, "Uid");
  const auto numbers = find_field(*status, "NStgid");
  if (!uids || !numbers) return std::nullopt;
  const auto uid = to_number(*uids);
  const auto innermost = to_number(numbers->substr(numbers->find_last_of(" \t") + 1));
  if (!uid || !innermost) return std::nullopt;
  return Owner{.uid = *uid, .innermost_tgid = *innermost};
}

// The directory /tmp as seen from `root`, if it is served by the kernel itself. Looking a name up in another is
// enough to wait for ever, so it is gone to step by step.
Fd open_tmp_below(const std::string& root, Mounts& mounts, std::uint32_t tgid) {
  const auto is_safe = [&](const Fd& place) {
    const auto look = place ? look_at(place, mounts, tgid) : std::nullopt;
    return look && !look->is_served_by_a_process() && !look->is_unknown();
  };
  const Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!is_safe(top)) return {};
  Fd tmp = place_at(top.get(), "tmp", O_DIRECTORY | O_NOFOLLOW, RESOLVE_IN_ROOT);
  // A link may lead anywhere: only as far as the kernel knows by itself what is there.
  if (!tmp) tmp = place_at(top.get(), "tmp", O_DIRECTORY, RESOLVE_IN_ROOT | RESOLVE_CACHED);
  return is_safe(tmp) ? std::move(tmp) : Fd();
}

// The file `name` in /tmp as seen from `root`, if it is what a run-time writes and no symbolic link. `uid`: whose it
// must be unless root's; none: anybody's. `tgid`: who sees it so, 0 for ourselves.
Fd open_in_tmp(const std::string& root, std::uint32_t tgid, const std::string& name, std::optional<std::uint32_t> uid) {
  Mounts mounts;
  const Fd tmp = open_tmp_below(root, mounts, tgid);
  if (!tmp) return {};
  const Fd place = place_at(tmp.get(), name, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
  const auto look = place ? look_at(place, mounts, tgid) : std::nullopt;
  if (!look || look->refusal != nullptr || look->is_unknown() || look->found.stx_nlink != 1) return {};
  if (uid && look->found.stx_uid != *uid && look->found.stx_uid != 0) return {};
  return reopen(place);
}

std::string map_name(std::uint32_t tgid) { return "perf-" + std::to_string(tgid) + ".map"; }

}  // namespace

Fd open_perf_map(std::uint32_t tgid) {
  const auto owner = owner_of(tgid);
  if (!owner) return open_in_tmp("/", 0, map_name(tgid), std::nullopt);
  Fd own = open_in_tmp("/proc/" + std::to_string(tgid) + "/root", tgid, map_name(owner->innermost_tgid), owner->uid);
  if (own) return own;
  return open_in_tmp("/", 0, map_name(tgid), owner->uid);
}

}  // namespace profile
