#include "sampling/cpu_events.h"

#include <bpf/libbpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "support/clock.h"
#include "support/privilege.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr const char* max_rate_path = "/proc/sys/kernel/perf_event_max_sample_rate";

// The count of the event; for a clock, nanoseconds.
std::uint64_t count_of(int perf_fd) {
  std::uint64_t count = 0;
  return ::read(perf_fd, &count, sizeof count) == static_cast<ssize_t>(sizeof count) ? count : 0;
}

}  // namespace

CpuEvents::CpuEvents(bpf_program& program, const perf_event_attr& attr, CpuList wanted, CannotOpen cannot_open)
    : program_(program), attr_(attr), wanted_(std::move(wanted)), cannot_open_(std::move(cannot_open)) {}

CpuList CpuEvents::wanted_of(const CpuList& online) const {
  if (wanted_.empty()) return online;
  CpuList both;
  std::set_intersection(wanted_.begin(), wanted_.end(), online.begin(), online.end(), std::back_inserter(both));
  return both;
}

void CpuEvents::set_cpus(const CpuList& online) {
  for (auto event = events_.begin(); event != events_.end();) {
    const bool stays = std::binary_search(online.begin(), online.end(), event->first);
    if (!stays) ended_ns_ += count_of(event->second.perf_fd);
    event = stays ? std::next(event) : events_.erase(event);
  }
  for (const int cpu : wanted_of(online)) {
    if (!events_.contains(cpu)) attach(cpu);
  }
}

void CpuEvents::attach(int cpu) {
  Fd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr_, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!fd && errno == ENODEV) return;  // the CPU went offline; set_cpus() is called again when it comes back
  if (!fd) throw cannot_open_(cpu, errno);
  BpfLink link(bpf_program__attach_perf_event(&program_, fd.get()));
  if (!link) throw system_error("cannot attach to the event on CPU " + std::to_string(cpu), errno);
  events_.emplace(cpu, Event{.began_ns = monotonic_ns(), .perf_fd = fd.release(), .link = std::move(link)});
}

std::uint64_t CpuEvents::enabled_ns(std::uint64_t until_ns) const {
  std::uint64_t sum = ended_ns_;
  for (const auto& [cpu, event] : events_) sum += until_ns - std::min(until_ns, event.began_ns);
  return sum;
}

void CpuEvents::disable() {
  // The kernel disables an event on its own CPU with interrupts off, so no handler runs there when ioctl() returns.
  for (const auto& [cpu, event] : events_) ::ioctl(event.perf_fd, PERF_EVENT_IOC_DISABLE, 0);
}

void CpuEvents::stop() {
  disable();
  events_.clear();
}

SamplingRate rate_of(const SamplingOptions& options) {
  if (options.period_events) return {.frequency_hz = 0, .period_events = *options.period_events};
  return {.frequency_hz = options.frequency_hz.value_or(options.default_frequency_hz), .period_events = 0};
}

perf_event_attr sampled_attr(std::uint32_t type, std::uint64_t config, const SamplingRate& rate) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = type;
  attr.config = config;
  if (rate.period_events != 0) {
    attr.sample_period = rate.period_events;
  } else {
    attr.freq = 1;
    attr.sample_freq = rate.frequency_hz;
  }
  return attr;
}

perf_event_attr cpu_clock_attr(const SamplingRate& rate) {
  return sampled_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, rate);
}

void refuse_short_period(const SamplingRate& rate) {
  const auto max_rate = read_number(max_rate_path);
  if (rate.period_events == 0 || !max_rate || *max_rate <= 0) return;
  const auto most = static_cast<std::uint64_t>(*max_rate);
  const std::uint64_t least_ns = (ns_per_s + most - 1) / most;
  if (rate.period_events >= least_ns) return;
  throw Error("-c " + std::to_string(rate.period_events) +
              ": a clock counts nanoseconds, and the kernel allows at most " + std::to_string(most) +
              " Hertz: at least " + std::to_string(least_ns) +
              "; raise the rate with sysctl kernel.perf_event_max_sample_rate");
}

Error cannot_sample(std::uint64_t frequency_hz, int cpu, int error) {
  if (const auto missing = missing_for_perf(error)) return Error(*missing);
  const auto max_rate = read_number(max_rate_path);
  if (error == EINVAL && max_rate && frequency_hz > static_cast<std::uint64_t>(*max_rate)) {
    return Error("-F " + std::to_string(frequency_hz) + ": the kernel allows at most " + std::to_string(*max_rate) +
                 " Hertz; raise it with sysctl kernel.perf_event_max_sample_rate");
  }
  return system_error("cannot sample CPU " + std::to_string(cpu), error);
}

}  // namespace profile
