// The source `cpu-clock`: a software perf event on every CPU, with the BPF program on its overflow.
#include "sampling/cpu_clock.h"

#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <cerrno>

#include "abi/record.h"
#include "cpu_clock.skel.h"
#include "cpu_clock_lean.skel.h"
#include "sampling/recorder.h"
#include "support/error.h"
#include "support/privilege.h"
#include "support/text_file.h"

namespace profile {
namespace {

constexpr const char* max_rate_path = "/proc/sys/kernel/perf_event_max_sample_rate";

BpfObject open_object(const SamplingOptions& options) {
  std::size_t size = 0;
  if (needs_kernel_types(options)) {
    const void* elf = cpu_clock__elf_bytes(&size);
    return open_bpf_object(elf, size, "cpu_clock");
  }
  const void* elf = cpu_clock_lean__elf_bytes(&size);
  return open_bpf_object(elf, size, "cpu_clock");
}

BpfObject load(const SamplingOptions& options) {
  BpfObject object = open_object(options);
  prepare_recording(*object, options);
  if (needs_kernel_types(options)) {
    for (const char* name : {"on_fork", "on_free"}) {
      bpf_program__set_autoload(&bpf_program_named(*object, name), options.follow_children);
    }
  }
  load_bpf_object(*object);
  fill_filters(*object, options);
  return object;
}

// -1 and errno, as the system call.
int open_clock(const SamplingOptions& options, int cpu) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  if (options.period_events != 0) {
    attr.sample_period = options.period_events;
  } else {
    attr.freq = 1;
    attr.sample_freq = options.frequency_hz;
  }
  return static_cast<int>(::syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

Error cannot_open(const SamplingOptions& options, int cpu, int error) {
  if (const auto missing = missing_for_perf(error)) return Error(*missing);
  const auto max_rate = read_number(max_rate_path);
  if (error == EINVAL && max_rate && options.frequency_hz > static_cast<std::uint64_t>(*max_rate)) {
    return Error("-F " + std::to_string(options.frequency_hz) + ": the kernel allows at most " +
                 std::to_string(*max_rate) + " Hertz; raise it with sysctl kernel.perf_event_max_sample_rate");
  }
  return system_error("cannot sample CPU " + std::to_string(cpu), error);
}

class CpuClock final : public Source {
 public:
  explicit CpuClock(const SamplingOptions& options)
      : options_(options),
        object_(load(options)),
        recorder_(*object_, options),
        program_(bpf_program_named(*object_, "on_sample")) {
    if (!options.follow_children) return;
    for (const char* name : {"on_fork", "on_free"}) {
      followers_.emplace_back(bpf_program__attach(&bpf_program_named(*object_, name)));
      if (!followers_.back()) throw system_error("cannot follow the command's processes", errno);
    }
  }

  void start() override {
    for (const int cpu : wanted_of(online_cpus())) attach(cpu);
  }

  void stop() override {
    // Disabling runs on the event's own CPU with interrupts off, so when it returns no handler is under way there.
    for (const auto& [cpu, clock] : clocks_) ::ioctl(clock.perf_fd, PERF_EVENT_IOC_DISABLE, 0);
    clocks_.clear();
  }

  void set_cpus(const CpuList& online) override {
    for (auto clock = clocks_.begin(); clock != clocks_.end();) {
      const bool stays = std::binary_search(online.begin(), online.end(), clock->first);
      clock = stays ? std::next(clock) : clocks_.erase(clock);
    }
    for (const int cpu : wanted_of(online)) {
      if (!clocks_.contains(cpu)) attach(cpu);
    }
  }

  Recorder& recorder() override { return recorder_; }
  [[nodiscard]] BpfCost cost() const override { return cost_of(program_); }

 private:
  struct Clock {
    int perf_fd;  // owned by the link
    BpfLink link;
  };

  [[nodiscard]] CpuList wanted_of(const CpuList& online) const {
    if (options_.cpus.empty()) return online;
    CpuList wanted;
    std::set_intersection(options_.cpus.begin(), options_.cpus.end(), online.begin(), online.end(),
                          std::back_inserter(wanted));
    return wanted;
  }

  void attach(int cpu) {
    Fd fd(open_clock(options_, cpu));
    if (!fd && errno == ENODEV) return;  // went offline meanwhile; set_cpus() hears of it when it comes back
    if (!fd) throw cannot_open(options_, cpu, errno);
    BpfLink link(bpf_program__attach_perf_event(&program_, fd.get()));
    if (!link) throw system_error("cannot attach to the clock of CPU " + std::to_string(cpu), errno);
    clocks_.emplace(cpu, Clock{.perf_fd = fd.release(), .link = std::move(link)});
  }

  SamplingOptions options_;
  BpfObject object_;
  Recorder recorder_;
  bpf_program& program_;
  std::vector<BpfLink> followers_;
  boost::container::flat_map<int, Clock> clocks_;  // by CPU
};

}  // namespace

std::unique_ptr<Source> make_cpu_clock(const SamplingOptions& options) { return std::make_unique<CpuClock>(options); }

}  // namespace profile
