// The result of sampling: rows of (process, thread name, user stack, kernel stack, value). The drain fills it with
// addresses, the symboliser names its frames, the outputs read it. Plain data without access to kernel or files.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/account.h"
#include "model/address.h"
#include "model/measures.h"
#include "model/string_table.h"
#include "model/unit.h"
#include "support/index_table.h"

namespace profile {

// Index into Profile::processes(). It also identifies the address space of user frames.
enum class ProcessId : std::uint32_t { kernel = UINT32_MAX };
enum class FrameId : std::uint32_t {};
// Index of a stack. `none`: there is no such stack (a kernel thread has no user stack). `missed`: it existed but could
// not be taken.
enum class StackId : std::uint32_t { none = 0, missed = UINT32_MAX };

// `script`: a function of an interpreted program, in the stack of its interpreter. Its source is the file of the script
// and the line where the function begins, or with Frame::begins_at the line that ran; its address is a hash of these
// and of the name.
enum class FrameKind : std::uint8_t { user, kernel, script };

// Why a stack has no more frames at its root end. Their words are in model/stack_end.cpp; README says what else lists
// them.
enum class StackEnd : std::uint8_t {
  unknown,       // not recorded: the names of the frames decide (model/stack_roots.h)
  root,          // the stack is whole
  too_deep,      // it has more frames than the limit
  no_table_yet,  // the file of the last frame had no unwind table yet
  no_cfi,        // code without unwind information, and no usable frame pointer
  not_readable,  // the stack's memory could not be read
  not_mapped,    // no mapping holds the return address
  no_register,   // the rule needs a register that is only known for the leaf
  unknown_rule,  // the unwind information has a rule that the table cannot express
  backwards,     // the caller's frame would be below the frame of its callee
  maps_changed,  // the mappings changed during the walk
  no_walk,       // other walks were under way on this CPU, so the kernel has followed frame pointers
  guessed,       // a root was reached, but a step by a frame pointer led to an address that is not after a call
  count
};
// Whether frames are missing or may be wrong. False also for `unknown`, where this is not known.
[[nodiscard]] constexpr bool is_incomplete(StackEnd end) { return end != StackEnd::unknown && end != StackEnd::root; }

// Why a frame has no function name. Every frame has a name or one of these reasons (promise 8).
enum class Unnamed : std::uint8_t {
  named,           // it has a name
  pending,         // the symboliser has not reached it yet
  no_symbol,       // its file was read and has no symbol there
  file_gone,       // its file could not be opened
  file_changed,    // the file at that path is not the one that was mapped
  file_malformed,  // its file is no ELF file, or it is damaged
  no_jit_map,      // executable memory without a file, and no perf map that names it
  not_mapped,      // no mapping holds the address: probably a broken frame-pointer chain
  process_gone,    // the process had exited before its mappings could be read
  kernel_hidden,   // the kernel hides its addresses (kptr_restrict)
  no_access,       // its file must not be opened: the file system shows it only to its own user
  no_answer,       // the file system of its file did not answer in time
  parser_gave_up,  // the parser (child process) did not finish its file in time, or died
  too_large,       // reading its file needs more than the limit for names at one time
  out_of_time,     // the user asked for the end, and the report was due before its file had been read
  not_opened,      // the opener (child process) had ended or gave no answer, so nothing is known of its file
  not_followed,    // its process mapped code too fast to be followed
  name_lost,       // the name of a script's function was lost, because the ring buffer was full
  count
};

// A place in the source. `none`: unknown, or the user did not ask for lines.
enum class SourceLocationId : std::uint32_t { none = 0 };

struct SourceLine {
  StringId file = StringId::empty;  // path as the compiler wrote it; empty when unknown
  std::uint32_t line = 0;           // 0: unknown
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// A function that the compiler inlined into its caller, and the line in it.
struct InlinedFunction {
  StringId symbol = StringId::empty;  // demangled; empty when unknown
  SourceLine at;
  friend bool operator==(const InlinedFunction&, const InlinedFunction&) = default;
};

struct SourceLocation {
  // In the function that holds the code. If functions are inlined, the line that calls the outermost of them.
  SourceLine at;
  std::span<const InlinedFunction> inlined;  // innermost first; valid until the next source is added
};

// The file that holds code. `none`: no file (the kernel, the vDSO, JIT code), or it is unknown.
enum class BinaryId : std::uint32_t { none = 0 };

// A piece of a file with code: the byte at `offset` has the address `start`. In whole pages, as a loader maps them;
// empty when unknown.
struct CodeSegment {
  ElfAddress start;
  ElfAddress limit;  // the address after its last byte
  FileOffset offset;

  [[nodiscard]] bool is_known() const { return start < limit; }
  [[nodiscard]] bool holds(ElfAddress address) const { return address >= start && address < limit; }
  friend auto operator<=>(const CodeSegment&, const CodeSegment&) = default;
};

struct Binary {
  StringId path = StringId::empty;      // as seen by the process that first mapped it
  StringId build_id = StringId::empty;  // in lower-case hex; empty when it has none or it could not be read
  CodeSegment code = {};                // other code of the same file is another binary
  friend auto operator<=>(const Binary&, const Binary&) = default;
};

// The name of a stack that could not be taken (StackId::missed), in formats whose stacks are only names.
inline constexpr std::string_view missed_user_stack = "[Missed User Stack]";
inline constexpr std::string_view missed_kernel_stack = "[Missed Kernel Stack]";
// The name of the stacks of a row that has none, in formats that need a name.
inline constexpr std::string_view no_stack_name = "[No Stack]";

// The tag of a wait, which readers of formats with names only recognise by this text.
inline constexpr std::string_view off_cpu_tag = "[off-cpu]";

// Replaces a missing name: of a function that is unknown, or of a thread with an empty name.
inline constexpr std::string_view unknown_name = "[unknown]";

// No address of code has this bit set and not the next higher one: it is the address of a script's frame.
inline constexpr std::uint64_t script_address_bit = std::uint64_t{1} << 61;

// The module of a frame that a JIT compiler's perf map named.
inline constexpr std::string_view jit_module = "jit";

// The offset of a frame that was read from a file which has only names.
inline constexpr std::uint64_t unknown_offset = UINT64_MAX;

// One address of one address space. The symboliser adds the name.
struct Frame {
  RuntimeAddress address;
  ProcessId space = ProcessId::kernel;
  FrameKind kind = FrameKind::user;
  // A call returns to this address, so the frame belongs to the instruction before it. False: execution was at the
  // address itself.
  bool is_return = false;
  Unnamed unnamed = Unnamed::pending;
  StringId symbol = StringId::empty;  // demangled function name; empty unless `unnamed == named`
  // Short name of the file or module with the code: "dd", "libc.so.6", "kernel", "nf_tables"; empty when unknown.
  StringId module = StringId::empty;
  // From the start of the symbol, or unknown_offset. Without a symbol, the address as in the module's file.
  std::uint64_t offset = 0;
  // Without a symbol: where its function begins, counted as `offset` is; or unknown_offset. Unwind tables tell it.
  std::uint64_t function = unknown_offset;
  // Of a script's frame whose source is the line that ran: the line where its function begins. 0: that line is its
  // source.
  std::uint32_t begins_at = 0;
  // Every format shows the functions inlined here as frames of their own, between this frame and its callee.
  SourceLocationId source = SourceLocationId::none;
  BinaryId binary = BinaryId::none;
  // Address in the binary, a return address when is_return. It has no meaning without a binary.
  ElfAddress binary_address;
  friend bool operator==(const Frame&, const Frame&) = default;
};

struct Process {
  std::uint32_t tgid = 0;  // in the pid namespace of the user; 0: idle, or outside of that namespace
  // Numbers the programs of that tgid: 0, 1, ... One more for each exec and each reuse of the tgid.
  std::uint32_t image = 0;
  StringId name = StringId::empty;  // comm of the main thread; until that is known, of the first thread seen
  std::uint64_t began_unix_ns = 0;  // 0: unknown
};

// No process can have a higher number: PID_MAX_LIMIT of include/linux/threads.h.
inline constexpr std::uint32_t highest_pid = 1U << 22;

inline constexpr std::uint32_t any_cpu = UINT32_MAX;

struct Row {
  ProcessId process{};
  std::uint32_t tid = 0;        // 0 unless rows are kept apart by thread
  std::uint32_t cpu = any_cpu;  // any_cpu unless rows are kept apart by CPU
  std::uint32_t block = 0;      // of time; 0 unless rows are kept apart by time, as for a comparison of recordings
  StringId thread_name = StringId::empty;
  StackId user = StackId::none;
  StackId kernel = StackId::none;
  // A frame that the source adds at the leaf, for example "[off-cpu]"; empty: none.
  StringId tag = StringId::empty;
  // The name of the thread that ended a wait (empty when unknown or not asked for), and its stacks. Formats without a
  // place for them get them as a part of the kernel stack (model/wakers.h).
  StringId waker = StringId::empty;
  StackId waker_user = StackId::none;
  StackId waker_kernel = StackId::none;
  std::uint64_t value = 0;  // in RunInfo::unit
  // That make up `value`. 0 in all rows of a profile from a file that does not tell them.
  std::uint64_t samples = 0;
};

// What keeps rows apart, besides the process, the thread's name and the stacks.
struct RowsApart {
  bool by_thread = true;
  bool by_cpu = true;
  friend bool operator==(const RowsApart&, const RowsApart&) = default;
};

// A sample of a recording. Its row has the sum of all that are alike.
struct TimedSample {
  std::uint64_t time_us = 0;  // since the beginning of the run; of a span, its end
  std::uint64_t value = 0;
  std::uint32_t row = 0;  // index in Profile::rows()
};

// All samples of a profile one by one, for outputs that show when something happened.
struct Timeline {
  static constexpr std::size_t most_samples = 5'000'000;  // a page with more of them would be too large to open
  // The part of the run that was read, in microseconds since its beginning.
  std::uint64_t begin_us = 0;
  std::uint64_t end_us = 0;
  std::vector<TimedSample> samples;  // in the order of time
};

// The event that is sampled unless the user asks for another one.
inline constexpr std::string_view cpu_clock = "cpu-clock";

// The request of the user, in the words that the outputs print.
struct RunInfo {
  std::string event{cpu_clock};  // as typed
  RunUnit unit;                  // of Row::value
  // A profile shows what there is at its end (memory in use), and takes the place of the one before it.
  bool is_state = false;
  std::string counted = "samples";  // what Row::samples counts: "waits", "requests", "allocations", "calls"
  std::string tag = "state";        // what Row::tag means, in one term: "system call", "request"
  // The first words of the counted format's header, if they are not "Sampling at 49 Hertz": "Tracing off-CPU time in
  // microseconds".
  std::string title;
  // The whole header of a profile that was read from a file. Empty: the writer makes it from the other fields.
  std::string headline;
  // Its title, from a file that has one beside the header.
  std::string heading;
  // Whether the fields below say what the user asked for. False for files that do not tell it, and for sums of files.
  bool is_request_known = true;
  std::uint64_t frequency_hz = 49;  // 0 when sampling by count
  std::uint64_t period_events = 0;  // 0 when sampling by frequency
  std::vector<std::uint32_t> tgids;
  std::vector<std::uint32_t> tids;
  std::vector<std::string> names;  // of threads, as typed
  std::string cpus;                // as typed, "" for all
  // What other filters of the run leave out, in words: "other cgroups". A file does not tell it.
  std::vector<std::string> left_out;
  std::string debuginfod;  // the servers that are asked for debug files: "https://debuginfod.debian.net"; "": none
  bool user_stacks = true;
  bool kernel_stacks = true;
  // Whether two lines of one function are two frames in outputs with stacks. True when the user asked for lines; false
  // for pprof files of other writers, which always have lines.
  bool frames_by_line = true;
  // A process is all of its name (Profile::merge_processes()), so outputs leave out the tgid 0.
  bool processes_by_name = false;
  std::optional<double> duration_s;  // nullopt: until Ctrl-C
  std::vector<std::string> command;  // of `profile -- COMMAND`
  std::string host;                  // the name of the machine; "" when unknown
  std::string command_line;          // the profiler's own, quoted for a shell; "" when unknown

  [[nodiscard]] bool is_of_cpu_clock() const { return event == cpu_clock; }
  // Whether the value of a row is the number of its samples, because both have the same word.
  [[nodiscard]] bool counts_samples() const { return unit.word() == counted; }
};

// Nanoseconds from one sample of a clock to the next; the events of a clock are nanoseconds. 0: it has no rate, or the
// rate is unknown.
inline std::uint64_t clock_period_ns(const RunInfo& run) {
  if (run.frequency_hz == 0) return run.period_events;
  return static_cast<std::uint64_t>(std::llround(1e9 / static_cast<double>(run.frequency_hz)));
}

// The time that one sample stands for, if the values are samples of a known rate; otherwise 0.
inline std::uint64_t ns_per_sample(const RunInfo& run) { return run.unit == Unit::samples ? clock_period_ns(run) : 0; }

// The number of samples that make up a value of the run, as far as the unit and the rate tell it; otherwise 0.
inline std::uint64_t samples_of(const RunInfo& run, std::uint64_t value) {
  if (run.unit == Unit::samples || run.counts_samples()) return value;
  if (run.unit == Unit::microseconds) return 0;  // the period of a clock is in nanoseconds
  return run.period_events == 0 ? 0 : value / run.period_events;
}

class Profile {
 public:
  RunInfo run;
  std::vector<RunInfo> other_events;  // that a recording has, too; the rows are of `run`
  Account account;
  std::uint64_t began_unix_ns = 0;  // when the sampling of these rows began; 0: unknown
  // The same by CLOCK_MONOTONIC, to put the parts of a run in order, because the other clock may be set during the run.
  // 0: unknown, as for a profile from a file.
  std::uint64_t began_ns = 0;
  std::uint64_t duration_ns = 0;  // of that sampling
  // Of a store: the times of its samples are multiples of this after began_unix_ns. 0: each sample has its own.
  std::uint64_t tick_ns = 0;
  StringTable strings;
  // Other measurements of the source; empty when it has none.
  std::optional<std::vector<ThreadWait>> thread_waits;  // the longest first
  std::vector<DurationTable> duration_tables;
  std::optional<SyscallReport> syscalls;
  // Lines that say what the numbers of the whole run leave out. Only the last part of a run has them.
  std::vector<std::string> notes;
  // Only of a recording that was read with its times; the changes of rows below keep it right.
  std::optional<Timeline> timeline;
  RowsApart apart;  // for rows that are added from here on

  // Returns the process `tgid` in its `image`-th program. A new one gets `name`.
  ProcessId process(std::uint32_t tgid, std::uint32_t image, std::string_view name);
  // Interns a frame; a new one is pending. For FrameKind::kernel `space` must be ProcessId::kernel.
  FrameId frame(ProcessId space, FrameKind kind, RuntimeAddress address, bool is_return = false);
  // Interns a frame with a name. A frame with the same address and another name stays as it is: in a profile from a
  // file, one address may have two names or be unknown.
  FrameId frame(const Frame& named);
  // Interns a stack, leaf first, and its end. The same frames with another end are another stack. An empty span gives
  // StackId::none.
  StackId stack(std::span<const FrameId> leaf_first, StackEnd end = StackEnd::unknown);
  // Interns a stack of raw addresses, leaf first. All but the first are return addresses.
  StackId stack_of(ProcessId space, FrameKind kind, std::span<const std::uint64_t> leaf_first,
                   StackEnd end = StackEnd::unknown);
  // Interns a place in the source.
  SourceLocationId source(const SourceLocation& source);
  // Interns a file that holds code.
  BinaryId binary(const Binary& binary);
  // Adds the value and the samples to an equal row, or adds a new row. It first clears the fields that `apart` does not
  // keep apart. Returns the index of the row.
  std::uint32_t add(const Row& given);
  // Multiplies all values and sets their unit. False when the sum does not fit into 64 bits; then nothing has changed.
  [[nodiscard]] bool weigh(std::uint64_t factor, Unit unit);
  // Changes each row and merges rows that are equal afterwards. `change` may intern stacks.
  void change_rows(const std::function<void(Row&)>& change);
  // Takes away the rows for which `is_kept` returns false. Their samples count as filtered in the account.
  void keep_rows(const std::function<bool(const Row&)>& is_kept);
  // Takes all rows away, because those of a later state (RunInfo::is_state) are to come. Frames and stacks stay.
  void forget_rows();
  // Adds everything in `other`, which may be this profile. RunInfo stays. If both are states, the rows of `other` take
  // the place of these.
  // Two processes with the same tgid, image and name are the same; with another name, the process gets another image.
  // If one address has two names (another library was mapped there; two machines), both stay as separate frames.
  // The sum has no timeline.
  void merge(const Profile& other);
  // Makes one process of all that have the same name, with the tgid 0. Its rows have no tid.
  void merge_processes();

  [[nodiscard]] std::span<const Process> processes() const { return processes_; }
  [[nodiscard]] const Process& process(ProcessId id) const { return processes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Process& process(ProcessId id) { return processes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::span<const Frame> frames() const { return frames_; }
  [[nodiscard]] std::span<Frame> frames() { return frames_; }
  [[nodiscard]] const Frame& frame(FrameId id) const { return frames_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] SourceLocation source(SourceLocationId id) const;
  [[nodiscard]] const Binary& binary(BinaryId id) const { return binaries_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::span<const Row> rows() const { return rows_; }
  // Leaf first; empty for `none` and `missed`. Valid until the next stack is added.
  [[nodiscard]] std::span<const FrameId> stack(StackId id) const;
  // StackEnd::unknown for `none` and `missed`.
  [[nodiscard]] StackEnd end_of(StackId id) const;
  // The number of distinct stacks without `none`.
  [[nodiscard]] std::size_t stack_count() const { return stacks_.size() - 1; }
  [[nodiscard]] std::uint64_t total() const;  // sum of all rows' values
  // Whether Row::samples has a meaning.
  [[nodiscard]] bool knows_samples() const;

 private:
  struct StackSlice {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    StackEnd end = StackEnd::unknown;
  };
  struct SourceSlice {
    SourceLine at;
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  [[nodiscard]] std::optional<std::uint32_t> find_frame(std::uint64_t hash, RuntimeAddress address, ProcessId space,
                                                        bool is_return) const;
  // Clears the fields that `apart` does not keep apart.
  void clear_unkept(Row& row) const;
  // Adds the row to an equal one at another index than `own_index`, which it returns. nullopt: there is none.
  std::optional<std::uint32_t> merge_row(const Row& row, std::uint64_t hash, std::size_t own_index);
  // Moves rows to other indices: `place` has one for each row, or gone_row.
  void move_rows(const std::vector<std::uint32_t>& place);
  void index_rows();

  static constexpr std::uint32_t gone_row = UINT32_MAX;
  std::vector<Process> processes_;
  std::unordered_map<std::uint64_t, ProcessId> process_ids_;  // key: tgid << 32 | image
  std::vector<Frame> frames_;
  IndexTable frame_ids_;        // by address, address space and is_return
  IndexTable named_frame_ids_;  // by content: more frames at such a place, with other names
  std::vector<FrameId> stack_frames_;
  std::vector<StackSlice> stacks_{StackSlice{}};  // [0] is StackId::none
  IndexTable stack_ids_;                          // by content
  std::vector<InlinedFunction> inlined_;
  std::vector<SourceSlice> sources_{SourceSlice{}};  // [0] is SourceLocationId::none
  IndexTable source_ids_;                            // by content
  std::vector<Binary> binaries_{Binary{}};           // [0] is BinaryId::none
  std::map<Binary, BinaryId> binary_ids_;
  std::vector<Row> rows_;
  IndexTable row_ids_;           // by all that keeps rows apart
  bool are_rows_moved_ = false;  // row_ids_ is not valid
  std::vector<FrameId> scratch_;
};

}  // namespace profile
