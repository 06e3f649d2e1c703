// Which file system a file lies on, where the file itself does not tell: out of /proc/PID/mountinfo.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace profile {

// One line of /proc/PID/mountinfo.
struct MountLine {
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::string type;  // empty when nobody can say
};
// The mount numbered `mount_id` in the text of a mountinfo file.
[[nodiscard]] std::optional<MountLine> find_mount(std::string_view mountinfo, std::uint64_t mount_id);
// Whether what is read there comes from a process (FUSE), which may never answer.
[[nodiscard]] bool is_served_by_a_process(const MountLine& mount);
// The type of the file system that `path`, which has no links in it, lies on, by the text alone: nobody asks the file
// system.
[[nodiscard]] std::optional<MountLine> find_mount_of_path(std::string_view mountinfo, std::string_view path);
// The same of what we see.
[[nodiscard]] std::optional<MountLine> own_mount_of(std::string_view path);

// Remembers what it was asked.
class Mounts {
 public:
  // As the process `tgid` sees it, else as we do; 0: as we do.
  const MountLine& at(std::uint64_t mount_id, std::uint64_t device, std::uint32_t tgid);

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, MountLine> known_;  // by mount id and device
};

}  // namespace profile
