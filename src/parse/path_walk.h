// Opens a path as another process would find it, directory by directory: this program may pass directories that are
// closed to that process. What was checked is what is opened, however the path is changed meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "process/file_rights.h"
#include "support/fd.h"

namespace profile {

inline constexpr const char* closed_to_user = "closed to the program's own user";

enum class Links : std::uint8_t { followed, refused };

struct PathWalk {
  Fd place;  // as of open_path(); no Fd: nothing is there, or it was refused
  const char* refusal = nullptr;
};
// `root`: the root directory of the process; no link leads out of it. `rights`: of the process, as in may_search().
[[nodiscard]] PathWalk walk_to(std::string path, Fd root, Links links, const std::optional<ProcessRights>& rights);

}  // namespace profile
