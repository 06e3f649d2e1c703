// Finds and opens the perf map of a process. The profiled user writes this file, in a directory where every user may
// write. So the file may be hostile.
#pragma once

#include <cstdint>
#include <optional>

#include "support/fd.h"

namespace profile {

struct PerfMapFile {
  Fd fd;  // no Fd: there is none
  // The user of the process, as of when the owner of the file was checked: by now it may run with other rights. Not
  // set: the process has exited, and its user is not known.
  std::optional<std::uint32_t> uid;
};
// Opens /tmp/perf-N.map as the process sees it, where N is its number in its own innermost pid namespace; otherwise the
// perf map in our own /tmp. The file must be a regular file with one link and belong to root or to the user of the
// process.
// If the process has exited, opens the one in our own /tmp, and `last_user` stands for the user of the process;
// nullopt: not known. Anybody can write a file with this name, so it must not say who wrote it.
[[nodiscard]] PerfMapFile open_perf_map(std::uint32_t tgid, std::optional<std::uint32_t> last_user);

}  // namespace profile
