// What a source is: something that takes samples in the kernel and lets user space drain them into a Profile. A new one
// is a .bpf.c that ends in record(), a file here and a row in the table of sources.
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

// Which waits of a thread are looked at.
enum class WaitState : std::uint8_t { any, preempted, interruptible, uninterruptible };

// How user stacks are taken: by the tables of the files where they are and by frame pointers where not; by tables or
// not at all; by the kernel, which knows frame pointers only.
enum class Unwinding : std::uint8_t { automatic, tables, frame_pointers };

// What only some sources take; the options that set them are refused with any other.
struct SourceOptions {
  std::uint64_t min_block_us = 0;  // waits shorter than this do not count, nor longer ones than
  std::uint64_t max_block_us = UINT64_MAX;
  WaitState wait_state = WaitState::any;
  bool waker = false;                       // who ends a wait
  bool latency = false;                     // of system calls
  bool failed = false;                      // system calls that fail, and why
  bool by_process = false;                  // system calls
  std::optional<SyscallCategory> category;  // only these system calls
  bool live = false;                        // memory that has not been freed
};

struct SamplingOptions {
  std::string event = "cpu-clock";
  std::vector<std::uint32_t> tgids;  // at most one of tgids, tids and follow_children is used
  std::vector<std::uint32_t> tids;
  bool follow_children = false;  // what this process forks from now on, with all descendants
  std::string command;           // whose it is: the program as typed; empty: none
  CpuList cpus;                  // empty: every CPU, also those that come online later
  std::string cgroup_path;       // "" for the next three: no such filter
  std::string cgroup_map_path;
  std::string mntns_map_path;
  // Of threads; "abc*" is every name that begins so. Empty: any.
  std::vector<std::string> names;
  bool include_idle = false;
  bool user_stacks = true;  // neither of the two: what is wanted is not stacks
  bool kernel_stacks = true;
  // How often, as asked for; with neither, the source chooses: the default where there is a rate at all, otherwise all.
  std::optional<std::uint64_t> frequency_hz;
  std::optional<std::uint64_t> period_events;
  std::uint64_t default_frequency_hz = 49;
  // Of the kernel's maps: what was asked for, or the most that a source chooses.
  std::uint32_t histogram_entries = 40960;
  std::uint32_t stack_entries = 16384;
  bool sizes_are_asked = false;
  std::uint32_t max_stack_depth = 127;  // frames, of stacks that the kernel takes
  std::uint32_t walk_depth = 256;       // frames, at most 512, of user stacks that are walked by tables
  Unwinding unwinding = Unwinding::automatic;
  bool interval = false;  // there is a report every now and then, not only at the end
  bool stream = false;    // each sample is wanted by itself: Source::stream_to() will be called
  // Rows are kept apart by thread, by CPU. Something that lasts belongs to the CPU on which it began. A stream's
  // samples tell their thread and their CPU anyway.
  bool by_thread = false;
  bool by_cpu = false;
  SourceOptions source;
  Children* children = nullptr;  // who touches the files and the memory of strangers; never null in a run
};

class Source {
 public:
  virtual ~Source() = default;
  // Fills in what it measures and how: event, unit, title, frequency or period.
  virtual void describe(RunInfo& run) const = 0;
  // Arms it on the online CPUs. From here on samples are taken.
  virtual void start() = 0;
  // After it returns no sample is taken any more, and none is under way.
  virtual void stop() = 0;
  // CPUs came or went. Nothing happens for those not asked for.
  virtual void set_cpus(const CpuList& online) = 0;
  // From now on, what the kernel side sees lies outside of the run and is counted nowhere. In force at once, for
  // sources that need time to be stopped, and when user space has no time.
  void pause();

  // From now on each sample is handed over by itself, in the order of time, and none is added to a profile's rows; its
  // names and stacks are those of the profile that consume() or drain() got. Asked for with SamplingOptions::stream.
  void stream_to(std::function<void(const Sample&)> on_sample);
  // Called every few milliseconds while samples are read, for what cannot wait until all are.
  void set_meanwhile(std::function<void()> meanwhile);
  // Samples of this program image of a process are filtered: user space knows of images and the kernel side does not.
  void leave_out(std::uint32_t tgid, std::uint32_t image);

  // Readable when consume() has something to do.
  [[nodiscard]] int poll_fd();
  // Counts the samples that came through the ring buffer.
  void consume(ProcessTimeline& timeline, Profile& into);
  // Whether what the kernel side keeps has filled so far that it should be drained.
  [[nodiscard]] bool wants_drain();
  // Moves all samples so far into `into`, account included. `stopped` says that no sample is taken any more; otherwise
  // the kernel side counts into its other half from now on.
  void drain(ProcessTimeline& timeline, Profile& into, bool stopped);
  // Whether a file that was met waits for its table; then supply_tables() is to be called every few milliseconds.
  [[nodiscard]] bool wants_tables();
  void supply_tables(ProcessTimeline& timeline);

  // Moves what was measured since the last call into `into`: a report is due. After stop() it is the last one. Sources
  // that measure more than stacks add it here.
  virtual void collect(ProcessTimeline& timeline, Profile& into, bool stopped);
  // Between reports, a few times a second: makes room in the tables of its own that have filled; what must be read
  // from the ring buffer for that goes into `into`. drain() makes room in the other maps.
  virtual void make_room(ProcessTimeline& /*timeline*/, Profile& /*into*/) {}
  // Runs and nanoseconds of its programs, by their own or the kernel's count; zero runs when that is not available.
  [[nodiscard]] virtual BpfCost cost() const = 0;
  // Whether cost() is worth the kernel's count (BpfRunTimeStats), which costs each run of a program some 50 ns.
  [[nodiscard]] virtual bool wants_count_of_runs() const { return true; }
  // Samples taken and not drained yet, without a system call: for the progress line.
  [[nodiscard]] virtual std::uint64_t pending_samples();
  // The rows of them, likewise.
  [[nodiscard]] std::uint64_t pending_rows();
  // Descendants of the command that could not be followed because the map of targets was full.
  [[nodiscard]] std::uint64_t unfollowed();
  // Whether kernel stacks begin with the frames of the tracing itself, which nobody wants to see.
  [[nodiscard]] virtual bool has_tracing_frames() const { return false; }
  // Whether what a process does to become the command that is run belongs to the command: a system call does.
  [[nodiscard]] virtual bool counts_exec() const { return false; }
  // Lines for the summary, about what this source alone knows.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

 protected:
  virtual Recorder& recorder() = 0;
};

// A kind of event, or a family of them that share a shape of name.
struct SourceKind {
  std::string_view name;     // as typed, or the shape of it: "off-cpu", "SYSTEM:EVENT"
  std::string_view alias;    // another name for the same; "" if none
  std::string_view group;    // heading of --list-events
  std::string_view unit;     // of a row's value
  std::string_view summary;  // one line
  // The format of stdout unless one is asked for.
  std::string_view default_format;
  // Whether `event` is of this kind; nullptr: it is when it equals `name` or `alias`.
  bool (*matches)(std::string_view event);
  std::unique_ptr<Source> (*make)(const SamplingOptions&);
  // Why there is none of it here, in a few words; nullopt when there is. Costs a system call or a few.
  std::optional<std::string> (*missing)(std::string_view name);
  // Which of the options that only some sources take this one takes, by their long names, separated by spaces.
  std::string_view takes;
};

// THE table of sources. The first row is the default.
[[nodiscard]] std::span<const SourceKind> source_kinds();
// The kind `event` is of; nullptr when there is none.
[[nodiscard]] const SourceKind* find_source_kind(std::string_view event);
// The names most like `event`, the nearest first: for the error that says it is not known.
[[nodiscard]] std::vector<std::string> nearest_source_names(std::string_view event);

}  // namespace profile
