// Whether what the command line names is there: processes, threads, CPUs, the stack depth the kernel allows.
#pragma once

#include "app/options.h"
#include "process/timeline.h"

namespace profile {

class Children;
class Command;

// Whose files the run needs: those of who can be sampled. `command`: null when there is none; `counts_exec` as
// Source::counts_exec().
[[nodiscard]] TimelineOptions of_interest(const SamplingOptions& sampling, const Command* command, bool counts_exec);
// Throws Error naming the option, the value and what is wrong with it: also a file system that does not answer.
void check_targets(const Options& options, Children& children);
// False once every process or thread that was asked for has gone; true when none was asked for.
[[nodiscard]] bool any_target_alive(const SamplingOptions& sampling);

}  // namespace profile
