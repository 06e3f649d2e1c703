#include "sampling/asked_ticks.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "support/clock.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr std::size_t stat_limit_bytes = 1 << 20;

}  // namespace

IdleTimes idle_times(const CpuList& cpus) {
  const std::uint64_t tick_ns = ns_per_s / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  IdleTimes times{.at_ns = monotonic_ns(), .known_to_ns = tick_ns, .ns_of_cpu = {}};
  std::istringstream lines(read_text_file("/proc/stat", stat_limit_bytes).value_or(""));
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    int cpu = -1;
    std::uint64_t user = 0, nice = 0, system = 0, idle = 0, waiting = 0;
    // The first line is the sum of all CPUs and has no number.
    if (line.starts_with("cpu ") || !(words >> cpu >> user >> nice >> system >> idle >> waiting)) continue;
    if (std::binary_search(cpus.begin(), cpus.end(), cpu)) times.ns_of_cpu[cpu] = (idle + waiting) * tick_ns;
  }
  return times;
}

AskedTicks::AskedTicks(std::uint64_t period_ns, std::function<IdleTimes()> idle_times)
    : period_ns_(period_ns), idle_times_(std::move(idle_times)) {}

void AskedTicks::note_idle() {
  if (period_ns_ == 0) return;
  IdleTimes now = idle_times_();
  for (const auto& [cpu, before_ns] : idle_before_.ns_of_cpu) {
    const auto found = now.ns_of_cpu.find(cpu);
    // The kernel does not report a CPU that has gone offline. All of this time then counts as idle, so that the number
    // is too low and never too high.
    const std::uint64_t more_ns = found != now.ns_of_cpu.end() ? found->second - std::min(found->second, before_ns)
                                                               : now.at_ns - idle_before_.at_ns;
    left_out_ns_ += more_ns;
    if (more_ns != 0) rested_.insert(cpu);
  }
  idle_before_ = std::move(now);
}

std::uint64_t AskedTicks::take(std::uint64_t enabled_ns, std::uint64_t idle_samples) {
  if (period_ns_ == 0) return 0;
  idle_samples_ += idle_samples;
  const std::uint64_t rest_ns = std::min(enabled_ns, left_out_ns_ + rested_.size() * idle_before_.known_to_ns);
  const std::uint64_t asked = (enabled_ns - rest_ns + std::min(rest_ns, idle_samples_ * period_ns_)) / period_ns_;
  const std::uint64_t fresh = asked - std::min(asked, returned_);
  returned_ += fresh;
  return fresh;
}

}  // namespace profile
