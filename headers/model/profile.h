// What was sampled: rows of (process, thread name, user stack, kernel stack, value). The drain fills it with addresses,
// the symboliser puts names to its frames, the outputs read it. Plain data; nothing here knows a kernel or a file.
#pragma once

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

namespace profile {

// Index into Profile::processes(); also names the address space of user frames.
enum class ProcessId : std::uint32_t { kernel = UINT32_MAX };
enum class FrameId : std::uint32_t {};
// Index of a stack. `none`: there is no such stack (a kernel thread has no user stack); `missed`: there was one and it
// could not be taken.
enum class StackId : std::uint32_t { none = 0, missed = UINT32_MAX };

enum class FrameKind : std::uint8_t { user, kernel };

// Why a stack has no more frames on the outer side.
enum class StackEnd : std::uint8_t {
  unknown,       // nobody told: its names have to (model/stack_roots.h)
  root,          // it is whole
  too_deep,      // it has more frames than are taken
  no_table_yet,  // the unwind table of the file that holds the last frame was not there in time
  no_cfi,        // code without unwind information, and no frame pointer led on
  not_readable,  // the stack's memory could not be read
  not_mapped,    // the return address lies nowhere
  no_register,   // the rule needs a register that is known of the innermost frame alone
  unknown_rule,  // the unwind information says something that the table cannot
  backwards,     // the caller's frame would lie below that of what it called
  maps_changed,  // the mappings changed meanwhile
  guessed,       // a root was reached, but the first step was by a frame pointer that no table vouches for
  count
};
// Whether frames are known to be missing, or not known to be right. Of stacks whose end nobody told it is not known.
[[nodiscard]] constexpr bool is_incomplete(StackEnd end) { return end != StackEnd::unknown && end != StackEnd::root; }

// Why a frame has no function name. Every frame has either a name or one of these reasons (promise 8).
enum class Unnamed : std::uint8_t {
  named,           // it has one
  pending,         // the symboliser has not seen it yet
  no_symbol,       // its file was read and has no symbol there
  file_gone,       // its file could not be opened
  file_changed,    // the file at that path is not the one that was mapped
  file_malformed,  // its file is no ELF file, or a damaged one
  no_jit_map,      // executable memory without a file, and no perf map that names it
  not_mapped,      // no mapping holds the address: probably a broken frame-pointer chain
  process_gone,    // the process had exited before its mappings could be read
  kernel_hidden,   // the kernel hides its addresses (kptr_restrict)
  no_access,       // its file may not be opened: a file system that shows it to its own user alone
  no_answer,       // the file system that its file lies on did not answer in time
  parser_gave_up,  // reading its file did not come to an end, or ended the process that read it
  too_large,       // its file takes more than may be read for names at one time
  count
};

// Where in the source an address stands. `none`: not known, or not asked for.
enum class SourceLocationId : std::uint32_t { none = 0 };

struct SourceLine {
  StringId file = StringId::empty;  // its path as the compiler knew it; empty when not known
  std::uint32_t line = 0;           // 0: not known
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// A function that the compiler copied into the one that calls it, and how far in that copy execution was.
struct InlinedFunction {
  StringId symbol = StringId::empty;  // demangled; empty when not known
  SourceLine at;
  friend bool operator==(const InlinedFunction&, const InlinedFunction&) = default;
};

struct SourceLocation {
  // In the function that has the code: where it calls the outermost of the inlined ones when there are any.
  SourceLine at;
  std::span<const InlinedFunction> inlined;  // innermost first; valid until the next source is added
};

// Which file holds code. `none`: no file (the kernel, the vDSO, JIT code), or not known which.
enum class BinaryId : std::uint32_t { none = 0 };

// Where code of a file lies: what is at `offset` in it has the address `start`. In pages, as a loader maps them; empty
// when it is not known.
struct CodeSegment {
  ElfAddress start;
  ElfAddress limit;  // behind its last byte
  FileOffset offset;

  [[nodiscard]] bool is_known() const { return start < limit; }
  [[nodiscard]] bool holds(ElfAddress address) const { return address >= start && address < limit; }
  friend auto operator<=>(const CodeSegment&, const CodeSegment&) = default;
};

struct Binary {
  StringId path = StringId::empty;      // as the process that first mapped it saw it
  StringId build_id = StringId::empty;  // in lower-case hex; empty when it has none or could not be read
  CodeSegment code = {};                // what is elsewhere in the file is another binary
  friend auto operator<=>(const Binary&, const Binary&) = default;
};

// Stand for a stack that was there and could not be taken (StackId::missed), in formats whose stacks are names alone.
inline constexpr std::string_view missed_user_stack = "[Missed User Stack]";
inline constexpr std::string_view missed_kernel_stack = "[Missed Kernel Stack]";
// Stands for the stacks of a row that has none, where something has to stand.
inline constexpr std::string_view no_stack_name = "[No Stack]";

// Stands for a name that there is not: of a function that could not be found out, of a thread that took the empty one.
inline constexpr std::string_view unknown_name = "[unknown]";

// What a frame's module is called when a JIT compiler's own map named it.
inline constexpr std::string_view jit_module = "jit";

// Of a frame that was read from a file that has only its name.
inline constexpr std::uint64_t unknown_offset = UINT64_MAX;

// One address of one address space, and its name once symbolised.
struct Frame {
  RuntimeAddress address;
  ProcessId space = ProcessId::kernel;
  FrameKind kind = FrameKind::user;
  // A call returns to this address: what it belongs to is what stands before it. Otherwise execution was just there.
  bool is_return = false;
  Unnamed unnamed = Unnamed::pending;
  StringId symbol = StringId::empty;  // demangled function name; empty unless `unnamed == named`
  // Short name of what holds the code: "dd", "libc.so.6", "kernel", "nf_tables"; empty when nothing is known.
  StringId module = StringId::empty;
  // From the start of the symbol, or unknown_offset; where there is no symbol, the address as the module's file counts
  // it.
  std::uint64_t offset = 0;
  // Functions inlined at the address are frames of their own in every format, between this frame and what it calls.
  SourceLocationId source = SourceLocationId::none;
  BinaryId binary = BinaryId::none;
  // As the binary counts it, return addresses too; of no account where there is none.
  ElfAddress binary_address;
  friend bool operator==(const Frame&, const Frame&) = default;
};

struct Process {
  std::uint32_t tgid = 0;  // as seen in the pid namespace of the person who asked; 0: idle, or outside of it
  // Which program image of that tgid: 0, 1, … for each exec and each reuse of the number.
  std::uint32_t image = 0;
  StringId name = StringId::empty;  // comm of the main thread; of the first thread seen until that is known
};

inline constexpr std::uint32_t any_cpu = UINT32_MAX;

struct Row {
  ProcessId process{};
  std::uint32_t tid = 0;        // 0 unless rows are kept apart by thread
  std::uint32_t cpu = any_cpu;  // unless rows are kept apart by CPU
  StringId thread_name = StringId::empty;
  StackId user = StackId::none;
  StackId kernel = StackId::none;
  // What the source puts at the leaf as a frame of its own, "[off-cpu]" for instance; empty: nothing.
  StringId tag = StringId::empty;
  // Who ended a wait: the name of its thread, empty when that is not known or not asked for; its stacks. In no row that
  // an output sees: there all of it is a part of the kernel stack (app/waker_frames.h).
  StringId waker = StringId::empty;
  StackId waker_user = StackId::none;
  StackId waker_kernel = StackId::none;
  std::uint64_t value = 0;    // in RunInfo::unit
  std::uint64_t samples = 0;  // that make it up
};

// What keeps rows apart besides the process, the thread's name and the stacks.
struct RowsApart {
  bool by_thread = true;
  bool by_cpu = true;
  friend bool operator==(const RowsApart&, const RowsApart&) = default;
};

// What was asked for, in the words the outputs print.
struct RunInfo {
  std::string event = "cpu-clock";  // as typed
  std::string unit = "samples";     // of values: "samples", "microseconds", "bytes", "page-faults"
  std::string counted = "samples";  // what Row::samples are: "waits", "requests", "allocations", "calls"
  std::string tag = "state";        // what Row::tag tells, in a word: "system call", "request"
  // How it is measured, the first words of the counted format's header, where that is not "Sampling at 49 Hertz":
  // "Tracing off-CPU time in microseconds".
  std::string title;
  // All of that header, of a profile that was read from a file; empty: it is made of the rest.
  std::string headline;
  std::uint64_t frequency_hz = 49;  // 0 when sampling by count
  std::uint64_t period_events = 0;  // 0 when sampling by frequency
  std::vector<std::uint32_t> tgids;
  std::vector<std::uint32_t> tids;
  std::vector<std::string> names;  // of threads, as typed
  std::string cpus;                // as typed, "" for all
  bool user_stacks = true;
  bool kernel_stacks = true;
  // Whether two lines of a function are two frames where stacks are shown: they are when lines were asked for, and are
  // not in others' pprof files, which have them always.
  bool frames_by_line = true;
  std::optional<double> duration_s;  // none: until Ctrl-C
  std::vector<std::string> command;  // of `profile -- COMMAND`
  std::string command_line;          // the profiler's own, quoted as a shell takes it; "" when not known
};

class Profile {
 public:
  RunInfo run;
  Account account;
  std::uint64_t began_unix_ns = 0;  // when what it holds began to be taken; 0: not known, as is
  // The same by CLOCK_MONOTONIC, for whoever puts parts of a run in order: the other clock may be set meanwhile. 0: not
  // known, as is of what was read from a file.
  std::uint64_t began_ns = 0;
  std::uint64_t duration_ns = 0;  // how long that went on
  StringTable strings;
  // What the source measured besides stacks; empty where it does not.
  std::optional<std::vector<ThreadWait>> thread_waits;  // the longest first
  std::vector<DurationTable> duration_tables;
  std::optional<SyscallReport> syscalls;
  RowsApart apart;  // of rows that are added from here on

  // The process numbered `tgid` in its `image`-th program; made with `name` when new.
  ProcessId process(std::uint32_t tgid, std::uint32_t image, std::string_view name);
  // Interns one frame; made pending when new. For FrameKind::kernel `space` must be ProcessId::kernel.
  FrameId frame(ProcessId space, FrameKind kind, RuntimeAddress address, bool is_return = false);
  // Interns a frame that has its name: another one of that address, with another name, stays as it is. For what comes
  // from files, where one address may be two things, or none is known.
  FrameId frame(const Frame& named);
  // Interns a stack, leaf first, and why it ends; of the same frames with another end it is another stack. An empty
  // span is StackId::none.
  StackId stack(std::span<const FrameId> leaf_first, StackEnd end = StackEnd::unknown);
  // Interns a stack of raw addresses, leaf first: all but the first are return addresses.
  StackId stack_of(ProcessId space, FrameKind kind, std::span<const std::uint64_t> leaf_first,
                   StackEnd end = StackEnd::unknown);
  // Interns a place in the source.
  SourceLocationId source(const SourceLocation& source);
  // Interns a file that holds code.
  BinaryId binary(const Binary& binary);
  // Adds the row's value and samples to the row that is otherwise equal, or makes it. Of what `apart` does not keep
  // apart it makes one.
  void add(const Row& given);
  // Multiplies all values, and calls them `unit`. False when their sum is more than 64 bits hold; then nothing was
  // done.
  [[nodiscard]] bool weigh(std::uint64_t factor, std::string_view unit);
  // Changes each row, and makes one of those that are equal then. `change` may intern stacks.
  void change_rows(const std::function<void(Row&)>& change);
  // Adds all that `other` holds, which may be this one; RunInfo stays. A process of the same number, image and name is
  // the same one; of the same number and image with another name, another image. Where one address has two names (a
  // library was unloaded and another one mapped there; profiles of two machines), both stay, as frames of their own.
  void merge(const Profile& other);

  [[nodiscard]] std::span<const Process> processes() const { return processes_; }
  [[nodiscard]] const Process& process(ProcessId id) const { return processes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Process& process(ProcessId id) { return processes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::span<const Frame> frames() const { return frames_; }
  [[nodiscard]] std::span<Frame> frames() { return frames_; }
  [[nodiscard]] const Frame& frame(FrameId id) const { return frames_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] SourceLocation source(SourceLocationId id) const;
  [[nodiscard]] const Binary& binary(BinaryId id) const { return binaries_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::span<const Row> rows() const { return rows_; }
  // Leaf first; empty for `none` and for `missed`. Valid until the next stack is added.
  [[nodiscard]] std::span<const FrameId> stack(StackId id) const;
  // Unknown for `none` and for `missed`.
  [[nodiscard]] StackEnd end_of(StackId id) const;
  // Distinct stacks, not counting `none`.
  [[nodiscard]] std::size_t stack_count() const { return stacks_.size() - 1; }
  [[nodiscard]] std::uint64_t total() const;  // sum of all rows' values

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
  struct FrameKey {
    std::uint64_t address;
    std::uint32_t space;
    bool is_return;
    friend bool operator==(const FrameKey&, const FrameKey&) = default;
  };
  struct FrameKeyHash {
    std::size_t operator()(const FrameKey& key) const noexcept;
  };

  std::vector<Process> processes_;
  std::unordered_map<std::uint64_t, ProcessId> process_ids_;  // key: tgid << 32 | image
  std::vector<Frame> frames_;
  std::unordered_map<FrameKey, FrameId, FrameKeyHash> frame_ids_;
  std::unordered_multimap<std::uint64_t, FrameId> named_frame_ids_;  // content hash; those whose address another has
  std::vector<FrameId> stack_frames_;
  std::vector<StackSlice> stacks_{StackSlice{}};                     // [0] is StackId::none
  std::unordered_multimap<std::uint64_t, std::uint32_t> stack_ids_;  // content hash to index
  std::vector<InlinedFunction> inlined_;
  std::vector<SourceSlice> sources_{SourceSlice{}};                   // [0] is SourceLocationId::none
  std::unordered_multimap<std::uint64_t, std::uint32_t> source_ids_;  // content hash to index
  std::vector<Binary> binaries_{Binary{}};                            // [0] is BinaryId::none
  std::map<Binary, BinaryId> binary_ids_;
  std::vector<Row> rows_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> row_ids_;  // key hash to index
  std::vector<FrameId> scratch_;
};

}  // namespace profile
