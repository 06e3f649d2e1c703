// Who decides what a file says, and who may read it. A file must not speak for the files of another user, and what a
// process could not read itself is not read in its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "process/code_file.h"
#include "process/user_namespaces.h"
#include "support/mounts.h"
#include "support/safe_open.h"

namespace profile {

// Tells who decides what a file says. 0: root. Below 2^32: this user, as the owner of the file. Otherwise the owner is
// only claimed, and together with the user of the process that uses the file it is another one.
// So containers that one user of this machine runs speak for each other. A namespace is no part of the number, because
// anyone can make many, and would then have many owners' shares of what is limited. For the same reason all ids that a
// user has in a user namespace count as this user.
class ContentOwners {
 public:
  [[nodiscard]] std::uint64_t of(const Look& look, const MappedBy& mapped_by);

 private:
  OwnMounts mounts_;
  UserNamespaces namespaces_;
};
// The same for what a process with this user tells about itself.
[[nodiscard]] std::uint64_t content_owner_of_user(std::uint32_t uid, bool own_mounts);
// Whether the mount and the mode leave nobody but the owner, and root, to decide.
[[nodiscard]] bool tells_owner(const Look& look, const std::optional<MountLine>& own_mount);

// With what rights a process reads files.
struct ProcessRights {
  std::uint32_t uid = 0;
  std::vector<std::uint32_t> groups;
  friend bool operator==(const ProcessRights&, const ProcessRights&) = default;
};
// nullopt when the process is gone, or when it runs with the rights of another user than its own.
[[nodiscard]] std::optional<ProcessRights> rights_of_process(std::uint32_t tgid);
// The same from the text of /proc/PID/status.
[[nodiscard]] std::optional<ProcessRights> rights_in_status(std::string_view status);
// Whether everyone may read the file, or a process with these rights. Access control lists are not considered beyond
// what the mode shows of them. nullopt: the process is not known.
[[nodiscard]] bool may_read(std::uint32_t mode, std::uint32_t owner, std::uint32_t group,
                            const std::optional<ProcessRights>& rights);
// Likewise whether a directory may be passed.
[[nodiscard]] bool may_search(std::uint32_t mode, std::uint32_t owner, std::uint32_t group,
                              const std::optional<ProcessRights>& rights);

}  // namespace profile
