// The interface of a source: it takes samples in the kernel, and user space drains them into a Profile. A new source
// needs a .bpf.c that calls record() or record_hit(), or uses bpf/span.bpf.h, a file here and a row in the table of
// sources.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/measures.h"
#include "model/profile.h"
#include "model/sample.h"
#include "support/bpf.h"
#include "support/cpu_list.h"

namespace profile {

class Children;
class ProcessTimeline;
class Recorder;
class TracedPrograms;

// Which waits of a thread count, by the state in which it leaves its CPU.
enum class WaitState : std::uint8_t { any, preempted, interruptible, uninterruptible };
inline constexpr std::string_view wait_state_names[] = {"any", "preempted", "interruptible", "uninterruptible"};

// How user stacks are walked. `automatic`: by the tables of the files, and by frame pointers where a file has no table.
// `tables`: by tables only. `frame_pointers`: by frame pointers only.
enum class Unwinding : std::uint8_t { automatic, tables, frame_pointers };
inline constexpr std::string_view unwinding_names[] = {"auto", "cfi", "fp"};

// Options that only some sources take. The command line refuses them with any other source.
struct SourceOptions {
  std::uint64_t min_block_us = 0;           // shorter waits do not count
  std::uint64_t max_block_us = UINT64_MAX;  // longer waits do not count
  WaitState wait_state = WaitState::any;
  bool waker = false;                       // record the thread that ends a wait
  bool ended_waits = false;                 // count only waits that end during the run
  bool latency = false;                     // durations of system calls
  bool failed = false;                      // failed system calls, and their errno
  bool by_process = false;                  // system calls apart by process
  std::optional<SyscallCategory> category;  // only these system calls
  bool live = false;                        // only memory that has not been freed
};

struct SamplingOptions {
  std::string event{cpu_clock};
  std::vector<std::uint32_t> tgids;  // at most one of tgids, tids and follow_children is used
  std::vector<std::uint32_t> tids;
  bool follow_children = false;  // the processes that this process forks from now on, and all their descendants
  std::string command;           // the program of the followed command, as typed; empty: none
  CpuList cpus;                  // empty: every CPU, also those that come online later
  std::string cgroup_path;       // of these three, "": no such filter
  std::string cgroup_map_path;
  std::string mntns_map_path;
  // Names of threads; "abc*" stands for every name that begins with "abc". Empty: any name.
  std::vector<std::string> names;
  bool include_idle = false;
  bool user_stacks = true;  // both false: no stacks are wanted
  bool kernel_stacks = true;
  // The rate that the user asks for. With neither, the source chooses: the default frequency if it samples at a rate,
  // otherwise every event.
  std::optional<std::uint64_t> frequency_hz;
  std::optional<std::uint64_t> period_events;
  std::uint64_t default_frequency_hz = 49;
  bool may_skip_ticks = false;     // Source::skip_ticks() may be called
  bool is_rate_of_others = false;  // the run has other events, so a source without a rate does not refuse one
  // Sizes of the BPF maps: what the user asks for, or the most that a source may choose.
  std::uint32_t histogram_entries = 40960;
  std::uint32_t stack_entries = 16384;
  bool sizes_are_asked = false;
  std::uint32_t max_stack_depth = 127;  // frames, of stacks that the kernel takes
  std::uint32_t walk_depth = 256;       // frames, at most 512, of user stacks that are walked by tables
  Unwinding unwinding = Unwinding::automatic;
  std::uint32_t languages = 0;  // a bit for each script_language (abi/script.h) whose functions are shown
  bool script_lines = false;    // their frames have the lines that ran
  bool each_sample = false;     // samples are handed over one by one: Source::hand_to() will be called
  bool rows = true;  // profiles get rows, and what the source measures besides; false only with `each_sample`
  // Rows are kept apart by thread, or by CPU. A span belongs to the CPU on which it began. A sample that is handed over
  // always has its thread and its CPU.
  bool by_thread = false;
  bool by_cpu = false;
  SourceOptions source;
  Children* children = nullptr;  // the child processes that read other users' files and memory; never null in a run
};

class Source {
 public:
  explicit Source(std::unique_ptr<TracedPrograms> programs);
  virtual ~Source();
  // Fills in what the source measures and how: unit and title, and the frequency or the period if it has one.
  virtual void describe(RunInfo& run) const = 0;
  // Starts sampling on the online CPUs. Throws Error.
  virtual void start();
  // When it returns, no sample is taken any more and none is under way.
  virtual void stop();
  // Call it when CPUs came or went. It ignores CPUs that the user did not choose.
  virtual void set_cpus(const CpuList& /*online*/) {}
  // True for a source with a rate, if its options allow that ticks are skipped.
  [[nodiscard]] virtual bool can_skip_ticks() const { return false; }
  // From now on one sample stands for so many ticks of a CPU that is not idle, and has their weight.
  virtual void skip_ticks(std::uint32_t /*ticks_a_sample*/) {}

  // From now on the BPF programs count nothing: what follows is not part of the run. It takes effect at once, even if
  // stop() takes long or is called late. Events with a rate come no longer: at a high rate they would leave little time
  // for the rest of the work.
  virtual void pause();

  // From now on samples are handed over one by one, also those that become rows. A sample's names and stacks are in the
  // profile that consume() or drain() gets. Needs SamplingOptions::each_sample.
  void hand_to(std::function<void(const Sample&)> on_sample);
  // All samples before this time (CLOCK_MONOTONIC) have been handed over, as far as the ring was read. A later one may
  // still wait, some tenths of a second at most, for a table that its stack needs.
  [[nodiscard]] std::uint64_t complete_until_ns();
  // `meanwhile` is called every few milliseconds while samples are read, for work that cannot wait until all are read.
  void set_meanwhile(std::function<void()> meanwhile);
  // Filters the samples of this program image of a process. User space does it, because the BPF programs do not know
  // images.
  void leave_out(std::uint32_t tgid, std::uint32_t image);

  // Readable when consume() has something to do.
  [[nodiscard]] int poll_fd();
  // Makes room in the ring buffer while other work takes long. It may be called at any time, also by code that a
  // function of this class has called. Throws Error.
  void keep_up();
  // Counts the samples that came through the ring buffer. Throws Error.
  void consume(ProcessTimeline& timeline, Profile& into);
  // True when the BPF maps are so full that drain() should be called.
  [[nodiscard]] bool wants_drain();
  // Moves all samples so far and their account into `into`. `stopped`: no sample is taken any more; otherwise the BPF
  // programs count into their other half from now on. Throws Error.
  void drain(ProcessTimeline& timeline, Profile& into, bool stopped);
  // True while a file in a walked stack waits for its table: call supply_tables() every few milliseconds then. Also
  // call it a few times a second, for what it has put off.
  [[nodiscard]] bool wants_tables();
  void supply_tables(ProcessTimeline& timeline);
  // Call it before start() for a process that runs already, so that its first samples have functions of scripts.
  void expect_scripts(ProcessTimeline& timeline, std::uint32_t tgid);

  // Moves everything measured since the last call into `into`, for a report. After stop() (`stopped`) it is the last
  // report. A source that measures more than stacks overrides it. Throws Error.
  virtual void collect(ProcessTimeline& timeline, Profile& into, bool stopped);
  // Called a few times a second between reports. It makes room in the source's own tables; drain() does so in the other
  // maps. Samples that it must read from the ring go into `into`.
  virtual void make_room(ProcessTimeline& /*timeline*/, Profile& /*into*/) {}
  // Runs and nanoseconds of the BPF programs, by their own count or the kernel's; 0 runs when no count is available.
  [[nodiscard]] virtual BpfCost cost() const;
  // True if cost() needs the kernel's count (bpf_run_time_stats()), which makes a run of a program some 50 ns longer.
  [[nodiscard]] virtual bool wants_count_of_runs() const { return true; }
  // The account of samples not drained yet. It makes no system call.
  [[nodiscard]] Account pending_account();
  // The number of samples not drained yet, for the progress line. It makes no system call.
  [[nodiscard]] virtual std::uint64_t pending_samples();
  // The number of their rows, likewise.
  [[nodiscard]] std::uint64_t pending_rows();
  // Descendants of the command that could not be followed because the map of targets was full.
  [[nodiscard]] std::uint64_t unfollowed();
  // True if kernel stacks have the frames of the tracing itself at the leaf, which a reader does not want to see.
  [[nodiscard]] virtual bool has_tracing_frames() const { return true; }
  // True if the execve() by which the forked process becomes the command counts as the command's own.
  [[nodiscard]] virtual bool counts_exec() const { return false; }
  // True if collect() names processes that may have ended since the drain before it.
  [[nodiscard]] virtual bool names_ended_processes() const { return false; }
  // Samples that were lost while the maps were full: with larger maps they may not be lost.
  [[nodiscard]] std::uint64_t lost_with_full_maps();
  // Lines for the summary about facts that only this source knows.
  [[nodiscard]] virtual std::vector<std::string> notes() const;

 protected:
  [[nodiscard]] TracedPrograms& programs() const { return *programs_; }
  [[nodiscard]] Recorder& recorder() const;
  // As TracedPrograms::options().
  [[nodiscard]] const SamplingOptions& options() const;

 private:
  std::unique_ptr<TracedPrograms> programs_;
};

// Why the kernel lacks what the event needs, in a few words (kernel_needs.h); nullopt when it lacks nothing.
[[nodiscard]] std::optional<std::string> missing_for_event(std::string_view name);

// A kind of event, or a family of events whose names have the same form.
struct SourceKind {
  std::string_view name;        // as typed, or its form: "off-cpu", "SYSTEM:EVENT"
  std::string_view alias = "";  // another name for the same event; "" if none
  std::string_view group;       // heading of --list-events
  std::string_view summary;     // one line
  // The format for stdout when the user asks for none.
  std::string_view default_format = "counted";
  // True if `event` is of this kind. nullptr: `event` must equal `name` or `alias`.
  bool (*matches)(std::string_view event) = nullptr;
  bool has_rate = false;         // by itself, or with SamplingOptions::frequency_hz, it samples so often a second
  bool takes_modifiers = false;  // of perf events: `event` may also be "NAME:u"
  std::unique_ptr<Source> (*make)(const SamplingOptions&);
  // Why the event is not available here, in a few words; nullopt when it is available. Makes a few system calls.
  std::optional<std::string> (*missing)(std::string_view name) = missing_for_event;
  // The long names of the options in SourceOptions that this source takes, separated by spaces.
  std::string_view takes = "";
};

// The only table of sources. The first row is the default.
[[nodiscard]] std::span<const SourceKind> source_kinds();
// The kind of `event`; nullptr when no kind fits.
[[nodiscard]] const SourceKind* find_source_kind(std::string_view event);
// The names most similar to `event`, best first, for the error about an unknown event.
[[nodiscard]] std::vector<std::string> nearest_source_names(std::string_view event);

}  // namespace profile
