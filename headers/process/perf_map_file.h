// Finds and opens the perf map of a process. Written by the profiled user in a directory everybody may write to, so it
// is opened like an enemy's file.
#pragma once

#include <cstdint>

#include "support/fd.h"

namespace profile {

// /tmp/perf-N.map as the process sees it, N being its number in its own innermost pid namespace; else the one of our
// own /tmp. Only a regular file with one link that belongs to the process's user or to root will do. Of a process that
// has exited, the one of our own /tmp. None: no Fd.
[[nodiscard]] Fd open_perf_map(std::uint32_t tgid);

}  // namespace profile
