// How many samples a clock asks for. The kernel leaves a tick out, and says nothing, when it comes to the next one too
// late: at a rate beyond the machine's, or where a hypervisor has other work for the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "support/cpu_list.h"

namespace profile {

// How long CPUs have been idle since the machine began, by the kernel's word.
struct IdleTimes {
  std::uint64_t at_ns = 0;        // when the kernel was asked
  std::uint64_t known_to_ns = 0;  // it may be longer by less than that
  std::map<int, std::uint64_t> ns_of_cpu;
};
// Of those of `cpus` that are online.
[[nodiscard]] IdleTimes idle_times(const CpuList& cpus);

class AskedTicks {
 public:
  // `period_ns`: from one tick to the next; 0: it is not known how many were asked for. Some kernels take no samples on
  // idle CPUs, others on some of them: what `idle_times` says they rested asks for just the samples that came of it.
  AskedTicks(std::uint64_t period_ns, std::function<IdleTimes()> idle_times);
  // To be called when the clocks begin, when CPUs have come or gone, and when it is read how long the clocks were on.
  void note_idle();
  // Those since the last call, once the clocks of all CPUs have been on for `enabled_ns` in sum. `idle_samples`: of
  // idle CPUs, since the last call.
  [[nodiscard]] std::uint64_t take(std::uint64_t enabled_ns, std::uint64_t idle_samples);

 private:
  std::uint64_t period_ns_;
  std::function<IdleTimes()> idle_times_;
  IdleTimes idle_before_;
  std::uint64_t left_out_ns_ = 0;
  std::set<int> rested_;  // the CPUs that it is of
  std::uint64_t idle_samples_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace profile
