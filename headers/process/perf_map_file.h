// Finds and opens the perf map of a process. The profiled user writes this file, in a directory where every user may
// write. So the file may be hostile.
#pragma once

#include <cstdint>

#include "support/fd.h"

namespace profile {

// Opens /tmp/perf-N.map as the process sees it, where N is its number in its own innermost pid namespace; otherwise the
// perf map in our own /tmp. The file must be a regular file with one link and belong to root or to the user of the
// process.
// If the process has exited, opens the one in our own /tmp, with any owner. An empty Fd: there is none.
[[nodiscard]] Fd open_perf_map(std::uint32_t tgid);

}  // namespace profile
