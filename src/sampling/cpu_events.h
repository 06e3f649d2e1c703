// Opens one perf event on every wanted CPU and runs a BPF program on each overflow. CPUs may come and go.
#pragma once

#include <linux/perf_event.h>

#include <boost/container/flat_map.hpp>
#include <functional>

#include "sampling/source.h"
#include "support/bpf.h"
#include "support/cpu_list.h"
#include "support/error.h"

namespace profile {

// The sampling rate. Exactly one of the two is not 0.
struct SamplingRate {
  std::uint64_t frequency_hz = 0;
  std::uint64_t period_events = 0;
};
[[nodiscard]] SamplingRate rate_of(const SamplingOptions& options);

class CpuEvents {
 public:
  // `wanted`: empty means every CPU. `cannot_open` makes the Error when the kernel refuses the event on a CPU.
  using CannotOpen = std::function<Error(int cpu, int error)>;
  CpuEvents(bpf_program& program, const perf_event_attr& attr, CpuList wanted, CannotOpen cannot_open);

  // Opens the event on each wanted CPU of `online` that has none yet, and closes it on CPUs that are offline. Throws
  // Error.
  void set_cpus(const CpuList& online);
  // When it returns, the BPF program runs on no CPU. It does not wait, and stop() is still needed.
  void disable();
  // The same, and closes the events.
  void stop();
  // For a clock: how long it was enabled up to `until_ns` (CLOCK_MONOTONIC), summed over all CPUs.
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
  std::uint64_t ended_ns_ = 0;                     // enabled time of the events on CPUs that went offline
};

// The attributes of an event that is sampled at `rate`. `type` and `config` are those of perf_event_attr.
[[nodiscard]] perf_event_attr sampled_attr(std::uint32_t type, std::uint64_t config, const SamplingRate& rate);
// The same for the event `cpu-clock`, whose period is in nanoseconds.
[[nodiscard]] perf_event_attr cpu_clock_attr(const SamplingRate& rate);
// Throws Error if a clock would tick more often than kernel.perf_event_max_sample_rate. The kernel itself checks only
// frequencies, and such a period leaves a CPU no time for anything else.
void refuse_short_period(const SamplingRate& rate);
// The Error for an event that the kernel refused on `cpu` with errno `error`.
[[nodiscard]] Error cannot_sample(std::uint64_t frequency_hz, int cpu, int error);

}  // namespace profile
