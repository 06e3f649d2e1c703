// Finds in /proc/PID/mountinfo the file system that a file lies on, for files whose device does not say it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/fd.h"

namespace profile {

// One line of /proc/PID/mountinfo.
struct MountLine {
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::string type;  // empty when it is unknown
  // Its programs do not become their owners: who mounted it may have chosen the owners of its files.
  bool is_nosuid = false;
};
// Finds the mount with the number `mount_id` in the text of a mountinfo file.
[[nodiscard]] std::optional<MountLine> find_mount(std::string_view mountinfo, std::uint64_t mount_id);
// Whether a process serves the reads there (FUSE). Such a process may never answer.
[[nodiscard]] bool is_served_by_a_process(const MountLine& mount);
// Finds the mount of `path`, which must have no symbolic links in it. It reads only the text and asks no file system.
[[nodiscard]] std::optional<MountLine> find_mount_of_path(std::string_view mountinfo, std::string_view path);
// The same with the mounts that this process sees.
[[nodiscard]] std::optional<MountLine> own_mount_of(std::string_view path);

// The mount with that number, if this process sees it. It reads the list again only when it has changed.
class OwnMounts {
 public:
  [[nodiscard]] std::optional<MountLine> find(std::uint64_t mount_id);

 private:
  Fd list_;
  std::string text_;
};

// Finds mounts by their number and remembers the answers.
class Mounts {
 public:
  // Looks first in the mounts of the process `tgid` (0: none), then in our own.
  const MountLine& at(std::uint64_t mount_id, std::uint64_t device, std::uint32_t tgid);

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, MountLine> known_;  // by mount id and device
};

}  // namespace profile
