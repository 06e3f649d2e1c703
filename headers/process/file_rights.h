// Who decides what a file says, and who may read it. A file must not speak for the files of another user, and what a
// process could not read itself is not read in its name.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "process/code_file.h"
#include "support/safe_open.h"

namespace profile {

// Identifies who decides what a file says. 0: root, by a file system that tells true owners; different for each user,
// and for file systems that another process or another machine serves.
[[nodiscard]] std::uint64_t content_owner(const Look& look, const MappedBy& mapped_by);
// The same for what a process with this user tells about itself.
[[nodiscard]] std::uint64_t content_owner_of_user(std::uint32_t uid, bool own_mounts);

// With what rights a process reads files.
struct ProcessRights {
  std::uint32_t uid = 0;
  std::vector<std::uint32_t> groups;
};
// nullopt when the process is gone.
[[nodiscard]] std::optional<ProcessRights> rights_of_process(std::uint32_t tgid);
// Whether everyone may read the file, or a process with these rights. Access control lists are not considered beyond
// what the mode shows of them. nullopt: the process is not known.
[[nodiscard]] bool may_read(std::uint32_t mode, std::uint32_t owner, std::uint32_t group,
                            const std::optional<ProcessRights>& rights);

}  // namespace profile
