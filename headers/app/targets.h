// Whether what the command line names is there: processes, threads, CPUs, the stack depth the kernel allows.
#pragma once

#include "app/options.h"

namespace profile {

// Throws Error naming the option, the value and what is wrong with it.
void check_targets(const Options& options);
// False once every process or thread that was asked for has gone; true when none was asked for.
[[nodiscard]] bool any_target_alive(const SamplingOptions& sampling);

}  // namespace profile
