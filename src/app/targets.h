// Checks that what the command line names exists: processes, threads, CPUs, directories, and the stack depth that the
// kernel allows.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "process/timeline.h"

namespace profile {

class Children;
class Command;

// The processes whose files the run needs: those that can be sampled. `command` is nullptr when there is none;
// `counts_exec` is Source::counts_exec().
[[nodiscard]] TimelineOptions of_interest(const SamplingOptions& sampling, const Command* command, bool counts_exec);
// Throws an Error that names the option, the value and the problem. A file system that does not answer is one too.
void check_targets(const Options& options, Children& children);
// The same for directories of debug files.
void check_debug_directories(const std::vector<std::string>& directories, Children& children);
// False once all processes and threads of the options have gone; true when the options name none.
[[nodiscard]] bool any_target_alive(const SamplingOptions& sampling);

}  // namespace profile
