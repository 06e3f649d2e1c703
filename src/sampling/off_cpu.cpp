// The user side of bpf/off_cpu.bpf.c.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_set>

#include "abi/off_cpu.h"
#include "abi/walk.h"
#include "model/run_words.h"
#include "off_cpu.skel.h"
#include "off_cpu_lean.skel.h"
#include "parse/children.h"
#include "parse/stack_reader.h"
#include "process/timeline.h"
#include "sampling/blocked_tasks.h"
#include "sampling/cpu_events.h"
#include "sampling/kernel_needs.h"
#include "sampling/map_walk.h"
#include "sampling/recorder.h"
#include "sampling/traced.h"
#include "sampling/wait_bounds.h"
#include "support/clock.h"
#include "support/plural.h"
#include "support/text_file.h"

namespace profile {
namespace {

// The number of map entries for threads: four times the threads that exist now. The upper bound limits the kernel's
// memory (270 bytes an entry).
std::uint32_t most_threads_of_machine() {
  const std::string load = read_text_file("/proc/loadavg").value_or("");
  const std::size_t slash = load.find('/');  // "0.4 0.3 0.2 runnable/threads last-pid"
  const std::uint64_t threads = slash == std::string::npos ? 0 : std::strtoull(load.c_str() + slash + 1, nullptr, 10);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(4 * threads, 1U << 14, 1U << 19));
}

// Processes of which threads have ended since the last tick in them, and names of such that have ended themselves. The
// time of more than these is told in the summary.
constexpr std::uint32_t most_ended_times = 4096;

// By WaitState.
constexpr std::uint32_t states_of[] = {WAIT_PREEMPTED | WAIT_INTERRUPTIBLE | WAIT_UNINTERRUPTIBLE | WAIT_OTHER,
                                       WAIT_PREEMPTED, WAIT_INTERRUPTIBLE, WAIT_UNINTERRUPTIBLE};

std::size_t thread_bytes(const SamplingOptions& options) {
  return options.source.waker ? sizeof(woken_thread) : sizeof(thread_waits);
}

// Sizes the maps of threads, and leaves out the maps that only --waker needs.
void prepare_wakers(bpf_object& object, const SamplingOptions& options) {
  for (const char* name : {"spans", "no_waits"}) {
    check_bpf(bpf_map__set_value_size(&bpf_map_named(object, name), static_cast<__u32>(thread_bytes(options))),
              "size the table of threads");
  }
  for (const char* name : {"woken_0", "woken_1", "woken_scratch"}) {
    if (bpf_object__find_map_by_name(&object, name) == nullptr) continue;  // no types, no wakers
    want_map(object, name, options.source.waker);
    if (std::string_view(name) == "woken_scratch") continue;
    size_map(object, name, options.histogram_entries, "size the histogram");
  }
}

void prepare(bpf_object& object, const SamplingOptions& options, bool wall, std::uint32_t most_threads) {
  auto* config = static_cast<off_cpu_config*>(bpf_section_memory(object, ".rodata.off_cpu", sizeof(off_cpu_config)));
  config->min_ns = nanoseconds(options.source.min_block_us);
  config->max_ns = nanoseconds(options.source.max_block_us);
  config->states = states_of[static_cast<std::size_t>(options.source.wait_state)];
  config->wall = wall ? 1 : 0;
  config->waker = options.source.waker ? 1 : 0;
  config->ended = options.source.ended_waits ? 1 : 0;
  prepare_wakers(object, options);
  size_map(object, "spans", most_threads, "size the table of threads");
  size_map(object, "ended_times", wall ? most_ended_times : 1, "size the table of ended threads");
  check_bpf(bpf_map__set_value_size(
                &bpf_map_named(object, "scan_buffer"),
                static_cast<__u32>(sizeof(blocked_task) + options.max_stack_depth * sizeof(std::uint64_t))),
            "size the buffer of stacks");
}

TracedPrograms::Plan plan_of(const SamplingOptions& options, bool wall, std::uint32_t most_threads) {
  const bool lean = !kernel_tells_types();
  TracedPrograms::Plan plan{
      .name = "off_cpu",
      .elf_bytes = lean ? off_cpu_lean__elf_bytes : off_cpu__elf_bytes,
      .attached = {"on_switch", "on_exec"},
      .loaded = {"flush"},
      .recording = {.weighted = true, .filter_cpu = true},
      .prepare = [=](bpf_object& object,
                     const SamplingOptions& limited) { prepare(object, limited, wall, most_threads); },
      .use = wall ? (lean ? "wall without BTF" : "wall") : (lean ? "off-cpu without BTF" : "off-cpu")};
  if (options.source.waker) plan.use = "off-cpu --waker";
  if (options.source.waker) plan.attached.push_back("on_waking");
  if (!lean) plan.loaded.push_back("scan");
  if (wall) plan.loaded.push_back("on_tick");
  return plan;
}

class OffCpu final : public Source {
 public:
  OffCpu(const SamplingOptions& options, bool wall, std::uint32_t most_threads)
      : Source(std::make_unique<TracedPrograms>(
            plan_of(options, wall, most_threads), options,
            ValueConversion{.divisor = 1000,
                            .tag_text = [](std::uint32_t) { return "[off-cpu]"; },
                            .waker_at = options.source.waker ? offsetof(woken_thread, waker) : 0})),
        wall_(wall),
        most_threads_(most_threads),
        state_(programs().map_fd(".data.off_cpu")),
        threads_fd_(programs().map_fd("spans")) {
    recorder().set_on_left_out([this](const Row& row, std::uint64_t samples, std::uint64_t value) {
      if (wall_ && row.tag == StringId::empty) return;  // time on a CPU, no wait
      left_out_.count += samples;
      left_out_.total_ns += value;
    });
    if (!wall) return;
    const SamplingRate rate = rate_of(options);
    refuse_short_period(rate);
    ticks_ = std::make_unique<CpuEvents>(
        programs().program("on_tick"), cpu_clock_attr(rate), options.cpus,
        [rate](int cpu, int error) { return cannot_sample(rate.frequency_hz, cpu, error); });
  }

  void describe(RunInfo& run) const override {
    set_measure(run, wall_ ? measures::wall : measures::off_cpu);
    if (!wall_) return;
    const SamplingRate rate = rate_of(options());
    run.frequency_hz = rate.frequency_hz;
    run.period_events = rate.period_events;
  }

  void start() override {
    state_->report_number = 1;  // not 0: in a new entry the sums have the report number 0, which must not match
    Source::start();
    if (!lean_) scan();
    std::atomic_ref(state_->started_ns).store(monotonic_ns(), std::memory_order_relaxed);
    if (ticks_) ticks_->set_cpus(online_cpus());
  }

  void pause() override {
    Source::pause();
    if (ticks_) ticks_->disable();
  }

  void stop() override {
    if (ticks_) ticks_->stop();
    Source::stop();
  }

  void set_cpus(const CpuList& online) override {
    if (ticks_) ticks_->set_cpus(online);
  }

  // Removes the entries of threads that have exited.
  void make_room(ProcessTimeline& /*timeline*/, Profile& /*into*/) override {
    if (std::atomic_ref(state_->exited_threads).load(std::memory_order_relaxed) > most_threads_ / 8) {
      take_exited(state_->report_number, {});
    }
  }

  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) override {
    is_last_ = stopped;
    state_->last_flush = stopped ? 1 : 0;
    programs().run("flush");
    const std::uint64_t report = state_->report_number;
    std::atomic_ref(state_->report_number).store(report + 1, std::memory_order_relaxed);
    drain(timeline, into, stopped);
    take_exited(report, take_living(report, stopped));
    leave_out_of_totals();
    std::vector<ThreadWait>& waits = into.thread_waits.emplace();
    for (ThreadTotals& thread : totals_) {
      thread.wait.name = into.strings.intern(thread.name);
      waits.push_back(thread.wait);
    }
    totals_.clear();
    std::sort(waits.begin(), waits.end(), [](const ThreadWait& a, const ThreadWait& b) {
      return std::pair(b.waits.total_ns, a.tid) < std::pair(a.waits.total_ns, b.tid);
    });
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> lines = Source::notes();
    char text[160];
    if (const std::uint64_t waits = state_->cut_waits + state_->killed_waits; waits != 0) {
      const bool one = waits == 1;
      const bool are_left_out = options().source.ended_waits;
      std::snprintf(text, sizeof text, "%llu thread%s still blocked at the end%s; %s %s are %s",
                    static_cast<unsigned long long>(waits), one ? " was" : "s were",
                    state_->killed_waits != 0 ? ", of the run or of their process" : "", one ? "its" : "their",
                    time_text(state_->cut_ns + state_->killed_ns).c_str(), are_left_out ? "left out" : "counted");
      lines.emplace_back(text);
    }
    if (lean_) lines.emplace_back("what was blocked before the run began is not counted: this kernel has no BTF");
    if (const std::uint64_t uncounted_ns = state_->uncounted_ns + uncounted_at_end_ns_; uncounted_ns != 0) {
      lines.push_back(time_text(uncounted_ns) + " on a CPU fell between the ticks and belong to no stack");
    }
    if (state_->unlisted != 0) {
      lines.push_back(number_of(state_->unlisted, "thread is", "threads are") + " not in the list: too many at once");
    }
    return lines;
  }

 private:
  struct ThreadTotals {
    ThreadWait wait;
    std::string name;
  };

  // Begins the waits of the threads that are already blocked.
  void scan() {
    // BPF can check the cgroup of the current task only.
    if (!options().cgroup_path.empty() || !options().cgroup_map_path.empty()) return;
    const std::vector<BlockedTask> all = read_blocked_tasks(programs().program("scan"));
    std::vector<StackQuestion> questions;
    for (const auto& [task, kernel] : all) {
      if (task.head.user_bytes >= 0) questions.push_back({.tgid = task.head.key.tgid, .stack_pointer = {task.sp}});
    }
    const auto stacks = options().children->stacks().stacks(questions, bytes_of_stack(questions.size()));
    std::size_t next = 0;
    for (const auto& [task, kernel] : all) {
      const std::string_view stack = task.head.user_bytes >= 0 ? std::string_view(stacks[next++]) : std::string_view();
      if (task.start_stack != 0 && !stack.empty()) {
        recorder().hold_span(task.id, task.head, unfinished_walk_of(task, stack), kernel);
      } else {
        recorder().hold_span(task.id, task.head, frames_of(task, stack, options().max_stack_depth), kernel);
      }
    }
  }

  template <class Visit>
  void for_each_thread(bool exited, Visit visit) {
    for_each_entry<std::uint32_t>(threads_fd_, thread_bytes(options()), false,
                                  [&](std::uint32_t key, const std::uint64_t* words) {
                                    if (((key & PROFILE_EXITED_THREAD) != 0) != exited) return;
                                    visit(key, *reinterpret_cast<const thread_waits*>(words));
                                  });
  }

  static std::uint64_t total_ns(const thread_waits& thread, std::uint64_t report) {
    const wait_sums& sums = thread.sums[report % 2];
    const cut_sums& cuts = thread.cuts[report % 2];
    return (sums.report_number == report ? sums.total_ns : 0) + (cuts.report_number == report ? cuts.total_ns : 0);
  }

  static bool has_waits(const thread_waits& thread, std::uint64_t report) { return total_ns(thread, report) != 0; }

  // Moves the sums of living threads for `report` into totals_, and returns the ids of those threads. Call it
  // before take_exited(), so that a thread that exits in between is found by one of the two.
  std::unordered_set<std::uint32_t> take_living(std::uint64_t report, bool stopped) {
    std::unordered_set<std::uint32_t> taken;
    for_each_thread(false, [&](std::uint32_t id, const thread_waits& thread) {
      if (stopped) uncounted_at_end_ns_ += thread.uncounted_ns;
      if (!has_waits(thread, report)) return;
      take_thread(thread, report);
      taken.insert(id);
    });
    if (stopped && wall_) {
      for_each_entry<ended_key>(
          programs().map_fd("ended_times"), sizeof(std::uint64_t), false,
          [&](const ended_key& /*key*/, const std::uint64_t* ns) { uncounted_at_end_ns_ += *ns; });
    }
    return taken;
  }

  // The same for threads that have exited. It removes them from the map unless they also have sums for the next report.
  // `taken`: the threads that take_living() has counted, including those that exited afterwards.
  void take_exited(std::uint64_t report, const std::unordered_set<std::uint32_t>& taken) {
    std::vector<std::uint32_t> done;
    for_each_thread(true, [&](std::uint32_t key, const thread_waits& thread) {
      const bool was_living = thread.exit_report_number != static_cast<std::uint16_t>(report);
      if (has_waits(thread, report) && !(was_living && taken.contains(thread.id))) take_thread(thread, report);
      if (!has_waits(thread, report + 1)) done.push_back(key);
    });
    for (const std::uint32_t key : done) bpf_map_delete_elem(threads_fd_, &key);
    std::atomic_ref(state_->exited_threads).fetch_sub(done.size(), std::memory_order_relaxed);
  }

  void take_thread(const thread_waits& thread, std::uint64_t report) {
    const wait_sums none{};
    const wait_sums& sums = thread.sums[report % 2].report_number == report ? thread.sums[report % 2] : none;
    ThreadTotals totals;
    totals.wait.tgid = thread.tgid;
    totals.wait.tid = thread.tid;
    totals.wait.is_kernel_thread = thread.is_kernel_thread != 0;
    // The last flush counts a wait that goes on.
    const bool goes_on = (thread.flags & THREAD_AWAY) != 0 && sums.waits == (is_last_ ? 1 : 0);
    totals.wait.never_woke = goes_on || (thread.flags & THREAD_NEVER_WOKE) != 0;
    totals.wait.waits.count = sums.waits;
    totals.wait.waits.total_ns = total_ns(thread, report);
    totals.wait.waits.min_ns = sums.waits != 0 ? sums.min_ns : 0;
    totals.wait.waits.max_ns = sums.max_ns;
    totals.name = comm_of(thread.name);
    totals_.push_back(std::move(totals));
  }

  // Subtracts the waits before execve() of the process that became the command, because the rows leave them out too.
  // Its longest and shortest wait may still be from that time.
  void leave_out_of_totals() {
    const auto thread = std::ranges::find(totals_, recorder().left_out_tgid(),
                                          [](const ThreadTotals& totals) { return totals.wait.tid; });
    if (left_out_.total_ns == 0 || thread == totals_.end()) return;
    Durations& waits = thread->wait.waits;
    waits.count -= std::min(waits.count, left_out_.count);
    waits.total_ns -= std::min(waits.total_ns, left_out_.total_ns);
    waits.max_ns = std::min(waits.max_ns, waits.total_ns);
    waits.min_ns = std::min(waits.min_ns, waits.max_ns);
    left_out_ = {};
    if (waits.total_ns == 0) totals_.erase(thread);
  }

  bool wall_;
  bool lean_ = !kernel_tells_types();
  std::uint32_t most_threads_;
  SharedValues<off_cpu_state> state_;
  int threads_fd_;
  std::unique_ptr<CpuEvents> ticks_;
  std::vector<ThreadTotals> totals_;  // of the report under way
  Durations left_out_;                // of the report under way
  bool is_last_ = false;              // that report is the last one
  std::uint64_t uncounted_at_end_ns_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_off_cpu(const SamplingOptions& options) {
  refuse_rate(options, "wait");
  return std::make_unique<OffCpu>(options, false, most_threads_of_machine());
}
std::unique_ptr<Source> make_wall(const SamplingOptions& options) {
  return std::make_unique<OffCpu>(options, true, most_threads_of_machine());
}

}  // namespace profile
