// One perf event on every CPU wanted, with a BPF program on its overflow; CPUs may come and go.
#pragma once

#include <linux/perf_event.h>

#include <boost/container/flat_map.hpp>
#include <functional>

#include "support/bpf.h"
#include "support/cpu_list.h"
#include "support/error.h"

namespace profile {

class CpuEvents {
 public:
  // `wanted`: empty for every CPU. `cannot_open` words the error when the kernel refuses the event on a CPU.
  using CannotOpen = std::function<Error(int cpu, int error)>;
  CpuEvents(bpf_program& program, const perf_event_attr& attr, CpuList wanted, CannotOpen cannot_open);

  // Opens and attaches on each of `online` that is wanted and has none yet, and forgets those that are offline.
  void set_cpus(const CpuList& online);
  // After it returns no program is under way.
  void stop();
  // Of a clock: for how long it has been on until then, over all CPUs.
  [[nodiscard]] std::uint64_t enabled_ns(std::uint64_t until_ns) const;

 private:
  struct Event {
    std::uint64_t began_ns;
    int perf_fd;  // owned by the link
    BpfLink link;
  };

  [[nodiscard]] CpuList wanted_of(const CpuList& online) const;
  void attach(int cpu);

  bpf_program& program_;
  perf_event_attr attr_;
  CpuList wanted_;
  CannotOpen cannot_open_;
  boost::container::flat_map<int, Event> events_;  // by CPU
  std::uint64_t ended_ns_ = 0;                     // enabled_ns() of those that went offline
};

// The attributes of the event `cpu-clock`: by rate, or by period in nanoseconds when that is nonzero.
[[nodiscard]] perf_event_attr cpu_clock_attr(std::uint64_t frequency_hz, std::uint64_t period_ns);
// What to say when it cannot be opened on `cpu`.
[[nodiscard]] Error cannot_sample(std::uint64_t frequency_hz, int cpu, int error);

}  // namespace profile
