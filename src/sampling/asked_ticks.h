// Computes how many samples the kernel should have taken with a clock event. The kernel silently drops a tick when it
// is late: the rate is too high for the machine, or a hypervisor gives the CPU to other work.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "support/cpu_list.h"

namespace profile {

// How long each CPU has been idle since boot, as the kernel reports it.
struct IdleTimes {
  std::uint64_t at_ns = 0;        // CLOCK_MONOTONIC of the report
  std::uint64_t known_to_ns = 0;  // resolution of the report: the true time is longer by less than this
  std::map<int, std::uint64_t> ns_of_cpu;
};
// Reports the CPUs of `cpus` that are online.
[[nodiscard]] IdleTimes idle_times(const CpuList& cpus);

class AskedTicks {
 public:
  // `period_ns`: from one tick to the next; 0: the event is no clock, and take() returns 0. Some kernels do not sample
  // idle CPUs, or only some of them: for idle time only the idle samples that came are expected.
  AskedTicks(std::uint64_t period_ns, std::function<IdleTimes()> idle_times);
  // Call it when the clocks start, when CPUs have come or gone, and when the caller reads the enabled time for take().
  void note_idle();
  // Returns the number of expected samples since the last call. `enabled_ns`: enabled time of all clocks together since
  // the start; `idle_samples`: samples of idle CPUs since the last call.
  [[nodiscard]] std::uint64_t take(std::uint64_t enabled_ns, std::uint64_t idle_samples);

 private:
  std::uint64_t period_ns_;
  std::function<IdleTimes()> idle_times_;
  IdleTimes idle_before_;
  std::uint64_t left_out_ns_ = 0;
  std::set<int> rested_;  // the CPUs whose idle time is in left_out_ns_
  std::uint64_t idle_samples_ = 0;
  std::uint64_t returned_ = 0;
};

}  // namespace profile
