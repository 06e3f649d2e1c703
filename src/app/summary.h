// The summary line: what the run did and what it cost. Also the extra lines that -v prints.
#pragma once

#include <string>
#include <vector>

#include "model/account.h"
#include "process/timeline.h"
#include "support/bpf.h"

namespace profile {

struct RunCost {
  double duration_s = 0;
  int cpus = 0;
  BpfCost bpf;                   // no runs: the kernel did not report them
  std::uint64_t unfollowed = 0;  // descendants of the command that were not followed
};

// "2964 samples in 30.0 s on 2 CPUs: 2411 recorded, 553 idle, 0 lost; 2.1 us a sample, 0.02 % of CPU time"
[[nodiscard]] std::string summary_of(const Account& account, const RunCost& cost);
// A line for the user about what helps against the losses, if there are any.
[[nodiscard]] std::vector<std::string> losses_of(const Account& account, std::uint64_t lost_with_full_maps);
// Lines for the user about problems in following the processes.
[[nodiscard]] std::vector<std::string> notes_of(const TimelineStatus& timeline);
// One line on how the processes were followed, and one on which way the samples took.
[[nodiscard]] std::vector<std::string> details_of(const TimelineStatus& timeline, const Account& account);

}  // namespace profile
