#include "process/perf_map_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

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

// `path` seen from `root`, if it is what a run-time writes and no symbolic link. `uid`: whose it must be
// unless root's; none: anybody's.
Fd open_below(const std::string& root, const std::string& path, std::optional<std::uint32_t> uid) {
  const Fd directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return {};
  open_how how{};
  how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const Fd place(static_cast<int>(::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof how)));
  struct statx found {};
  if (!place || ::statx(place.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &found) != 0) return {};
  if (!S_ISREG(found.stx_mode) || found.stx_nlink != 1) return {};
  if (uid && found.stx_uid != *uid && found.stx_uid != 0) return {};
  return Fd(::open(("/proc/self/fd/" + std::to_string(place.get())).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

std::string map_path(std::uint32_t tgid) { return "/tmp/perf-" + std::to_string(tgid) + ".map"; }

}  // namespace

Fd open_perf_map(std::uint32_t tgid) {
  const auto owner = owner_of(tgid);
  if (!owner) return open_below("/", map_path(tgid), std::nullopt);
  Fd own = open_below("/proc/" + std::to_string(tgid) + "/root", map_path(owner->innermost_tgid), owner->uid);
  if (own) return own;
  return open_below("/", map_path(tgid), owner->uid);
}

}  // namespace profile
