// The user side of bpf/syscalls.bpf.c.
#include <bpf/bpf.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "abi/syscalls.h"
#include "model/error_name.h"
#include "model/run_words.h"
#include "process/timeline.h"
#include "sampling/cpu_events.h"
#include "sampling/map_walk.h"
#include "sampling/syscall_names.h"
#include "sampling/syscall_programs.h"
#include "sampling/syscall_tally.h"
#include "sampling/traced.h"
#include "support/clock.h"
#include "support/plural.h"

namespace profile {
namespace {

// The period of the clock that counts the CPUs with a wanted task on them: 99 Hertz, so that it does not run in step
// with periodic work.
constexpr std::uint64_t tick_ns = 10'101'010;

// The sums of the counters of all CPUs.
syscall_counts sum_of(const syscall_counts* counts, int cpus) {
  static_assert(sizeof(syscall_counts) % sizeof(__u64) == 0);
  syscall_counts sum{};
  auto* to = reinterpret_cast<__u64*>(&sum);
  for (int cpu = 0; cpu < cpus; ++cpu) {
    const auto* from = reinterpret_cast<const volatile __u64*>(counts + cpu);
    for (std::size_t i = 0; i < sizeof sum / sizeof *to; ++i) to[i] += from[i];
  }
  return sum;
}

// Numbers that no kernel has take the places from PROFILE_SYSCALL_ODD on. The map `odd_numbers` has the number that
// took the place `call`.
std::string name_of_call(int odd_numbers_fd, std::uint32_t call) {
  std::uint32_t number = 0;
  if (call % PROFILE_SYSCALL_NUMBERS < PROFILE_SYSCALL_ODD ||
      bpf_map_lookup_elem(odd_numbers_fd, &call, &number) != 0) {
    return syscall_name(call);
  }
  return "syscall " + std::to_string(static_cast<std::int32_t>(number));
}

// "openat", or "openat ENOENT" for a call that failed.
std::string name_of_tag(int odd_numbers_fd, std::uint32_t tag) {
  const auto error = static_cast<int>(tag >> SYSCALL_ERROR_SHIFT);
  const std::string name = name_of_call(odd_numbers_fd, (tag & ((1U << SYSCALL_ERROR_SHIFT) - 1)) - 1);
  return error == 0 ? name : name + ' ' + error_name(error);
}

class Syscalls final : public Source {
 public:
  explicit Syscalls(const SamplingOptions& options)
      : Source(std::make_unique<TracedPrograms>(
            syscall_plan(options), syscall_recording(options),
            ValueConversion{.divisor = times_syscall_stacks(options) ? 1000U : 1U,
                            .tag_text = [this](std::uint32_t tag) { return name_of_tag(odd_numbers_fd_, tag); }})),
        source_(syscall_choice(options)),
        odd_numbers_fd_(programs().map_fd("odd_numbers")),
        counts_(programs().map_fd("counts"), static_cast<std::size_t>(possible_cpu_count())),
        state_(programs().map_fd(".data.syscalls")),
        ticks_(programs().program("on_tick"), cpu_clock_attr({.frequency_hz = 0, .period_events = tick_ns}),
               options.cpus, [](int cpu, int error) { return cannot_sample(0, cpu, error); }) {}

  // strace and the tables also count the execve() of the command.
  [[nodiscard]] bool counts_exec() const override { return true; }
  [[nodiscard]] bool names_ended_processes() const override { return true; }
  void describe(RunInfo& run) const override {
    const bool has_times = times_syscall_stacks(options());
    if (takes_failed_syscalls(options())) {
      set_measure(run, has_times ? measures::failed_syscall_times : measures::failed_syscalls);
    } else {
      set_measure(run, has_times ? measures::syscall_times : measures::syscalls);
    }
    run.kernel_stacks = options().kernel_stacks;
  }

  void start() override {
    began_ns_ = monotonic_ns();
    Source::start();
    ticks_.set_cpus(online_cpus());
  }

  void stop() override {
    ended_ns_ = monotonic_ns();
    ticks_.stop();
    Source::stop();
  }

  void set_cpus(const CpuList& online) override { ticks_.set_cpus(online); }

  void make_room(ProcessTimeline& timeline, Profile& /*into*/) override {
    if (std::atomic_ref(state_->rows).load(std::memory_order_relaxed) > syscall_table_rows / 2) {
      take_tables(timeline, false);
    }
  }

  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) override {
    if (stopped && wants_syscall_results(source_)) count_under_way();
    if (times_syscall_stacks(options())) {
      state_->last_flush = stopped ? 1 : 0;
      programs().run("flush");
    }
    Source::collect(timeline, into, stopped);
    take_tables(timeline, stopped);
    const std::uint64_t calls = begun_in_tables_ + take_counts();
    begun_in_tables_ = 0;
    const std::uint64_t now_ns = stopped ? ended_ns_ : monotonic_ns();
    SyscallReport& report = into.syscalls.emplace();
    report.seconds = to_seconds(now_ns - began_ns_);
    report.cpus_used = report.seconds > 0 ? to_seconds(ticks_taken_ * tick_ns) / report.seconds : 0;
    report.by_process = source_.by_process;
    report.has_durations = source_.latency;
    report.has_failures = source_.failed;
    report.is_partial = source_.category.has_value();
    report.calls = tally_.take(into.strings, [&](std::uint32_t tgid, std::string_view comm) {
      return name_of_process(timeline, tgid, comm, now_ns);
    });
    began_ns_ = now_ns;
    if (wants_syscall_stacks(options())) return;  // the recorder has accounted for the calls
    into.account += Account{.taken = calls + filtered_, .recorded = calls, .filtered = filtered_};
  }

  // Without stacks a run takes little longer than the kernel's count of it, so only runs with stacks are counted.
  [[nodiscard]] bool wants_count_of_runs() const override { return wants_syscall_stacks(options()); }
  [[nodiscard]] std::uint64_t pending_samples() override {
    if (wants_syscall_stacks(options())) return Source::pending_samples();
    const syscall_counts now = sum_of(counts_.data(), possible_cpu_count());
    const auto all = [](const syscall_counts& counts) {
      return std::accumulate(std::begin(counts.begun), std::end(counts.begun), counts.in_table + counts.filtered);
    };
    return all(now) - all(total_);
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> lines = Source::notes();
    const auto note = [&](std::uint64_t count, std::string_view what, const char* rest) {
      if (count != 0) lines.push_back(number_of(count, what) + ' ' + rest);
    };
    note(under_way_, "system call", "had not returned when the run ended");
    note(total_.unmeasured, "system call", "without a known end: too many threads or too many kinds at once");
    note(total_.unlisted_errors, "failure", "without a reason: too many kinds at once");
    note(without_process_, "system call", "without a process: too many processes at once");
    if (options().rows && !wants_syscall_stacks(options())) {
      lines.emplace_back("which functions make the calls: -f, or a file with stacks (-o out.html)");
    }
    return lines;
  }

 private:
  [[nodiscard]] std::string name_of_process(ProcessTimeline& timeline, std::uint32_t tgid, std::string_view comm,
                                            std::uint64_t now_ns) const {
    if (tgid == 0) return source_.by_process ? "[other processes]" : "";
    const std::string_view name = timeline.name_of(tgid, timeline.image_at(tgid, now_ns));
    return std::string(name.empty() ? comm : name);
  }

  // Adds to the tally what the counters have gained since the last call. Returns the number of these calls.
  std::uint64_t take_counts() {
    const syscall_counts now = sum_of(counts_.data(), possible_cpu_count());
    std::uint64_t calls = 0;
    for (std::uint32_t call = 0; call < PROFILE_SYSCALLS; ++call) {
      const std::uint64_t times = now.begun[call] - total_.begun[call];
      if (times != 0) tally_.add_begun(0, call, times);
      calls += times;
    }
    if (source_.by_process) without_process_ += calls;
    filtered_ = now.filtered - total_.filtered;
    ticks_taken_ = now.ticks - total_.ticks;
    total_ = now;
    return calls;
  }

  // Moves the rows of the tables into the tally.
  void take_tables(ProcessTimeline& timeline, bool stopped) {
    const auto generation = static_cast<std::uint16_t>(state_->generation);
    if (!stopped) {
      std::atomic_ref(state_->generation).store(generation ^ 1U, std::memory_order_seq_cst);
      barrier_.wait();  // from here on no BPF program writes to rows of the old generation
    }
    if (source_.by_process) {
      take_table<syscall_use>("uses", generation, [&](const syscall_key& key, const syscall_use& use) {
        tally_.add_begun(key.tgid, key.call, use.begun, comm_of(use.comm));
        begun_in_tables_ += use.begun;
      });
    }
    if (!keeps_syscall_results(options())) return;
    take_table<syscall_result>("results", generation, [&](const syscall_key& key, const syscall_result& result) {
      tally_.add_result(key.tgid, key.call, result, source_.latency);
    });
    if (!source_.failed) return;
    const std::uint64_t now_ns = monotonic_ns();
    timeline.update();
    take_table<std::uint64_t>("failures", generation, [&](const syscall_key& key, std::uint64_t times) {
      if (source_.by_process) return tally_.add_failures(key.tgid, key.call, key.error, times);
      const std::string program = name_of_process(timeline, key.tgid, {}, now_ns);
      tally_.add_failures_of(key.tgid, program, key.call, key.error, times);
    });
  }

  template <class Value, class Visit>
  void take_table(const char* map, std::uint16_t generation, Visit visit) {
    const std::size_t taken = take_generation<syscall_key, Value>(programs().map_fd(map), generation, visit);
    std::atomic_ref(state_->rows).fetch_sub(taken, std::memory_order_relaxed);
  }

  void count_under_way() {
    under_way_ = 0;
    for_each_entry<std::uint32_t>(programs().map_fd("spans"), sizeof(syscall_under_way), false,
                                  [&](std::uint32_t, const std::uint64_t* words) {
                                    if (reinterpret_cast<const syscall_under_way*>(words)->span.start_ns != 0)
                                      ++under_way_;
                                  });
  }

  const SourceOptions source_;
  int odd_numbers_fd_;
  SharedValues<syscall_counts> counts_;  // by CPU
  SharedValues<syscalls_state> state_;
  CpuEvents ticks_;
  ProgramBarrier barrier_;
  // Since the last report, like begun_in_tables_.
  SyscallTally tally_{[this](std::uint32_t call) { return name_of_call(odd_numbers_fd_, call); }};
  std::uint64_t begun_in_tables_ = 0;
  std::uint64_t filtered_ = 0;         // of the report under way
  std::uint64_t ticks_taken_ = 0;      // of the report under way
  syscall_counts total_{};             // since the start, at the last report
  std::uint64_t without_process_ = 0;  // since the start
  std::uint64_t under_way_ = 0;
  std::uint64_t began_ns_ = 0;  // of the time that the next report covers
  std::uint64_t ended_ns_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_syscalls(const SamplingOptions& options) {
  refuse_rate(options, "call");
  return std::make_unique<Syscalls>(options);
}

}  // namespace profile
