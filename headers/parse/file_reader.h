// The interface to what untrusted files say: names and lines of their code. The process that answers may fail, die
// or be killed over a file; then the answer says that it failed, and the next file is read as usual. It is an
// interface, so that code above it can be tested without children.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/valid_range.h"
#include "interpret/interpreter.h"
#include "model/address.h"
#include "model/profile.h"
#include "model/source_position.h"
#include "model/string_table.h"
#include "process/code_file.h"
#include "unwind/table.h"

namespace profile {

class WorkBudget;

// A file that the FileKeeper has open.
struct FileRef {
  FileNumber number = FileNumber::none;
  std::string_view path;  // as the process in `mapped_by` sees it
  MappedBy mapped_by;
};

// What the symbols of a file say about one of its places.
struct NameOfCode {
  Unnamed unnamed = Unnamed::pending;
  StringId symbol = StringId::empty;  // demangled
  std::uint64_t start = 0;            // of the symbol or, without one, of the function; as `address`, 0: unknown
  ElfAddress address;                 // of the place, as the file says
};

struct NamesOfFile {
  FileFault failed = FileFault::none;  // otherwise there is no answer; this says why
  std::string build_id;                // in lower-case hex; empty when there is none
  std::vector<CodeSegment> code;
  StringTable strings;
  // As many of each as were asked for, unless it failed. Addresses in the range around a place have its answer.
  std::vector<NameOfCode> names;
  std::vector<ValidRange> valid_ranges;
};

struct LinesOfFile {
  FileFault failed = FileFault::none;
  StringTable strings;
  // The innermost inlined function comes first, the function with the code last. Empty where nothing is known.
  // Functions are demangled.
  std::vector<std::vector<SourcePosition>> chains;
  std::map<std::string, std::string> unread_splits;  // from each path to why it was not read
};

struct NameOfJit {
  Unnamed unnamed = Unnamed::pending;
  std::uint64_t start = 0;  // of the piece of code
  SourcePosition position;
};

struct NamesOfJit {
  FileFault failed = FileFault::none;
  StringTable strings;
  std::vector<NameOfJit> names;  // as many as were asked for, unless it failed
};

struct UnwindOfFile {
  FileFault failed = FileFault::none;
  UnwindFault fault = UnwindFault::none;
  UnwindTable table;  // sound; empty with a fault, and when it failed
  Interpreter interpreter;
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  // The names of the code at `offsets`, which ascend and are distinct. In a debug file, which has no code, the offsets
  // are addresses. The cost is taken from `budget`; when that is spent, nothing is named.
  [[nodiscard]] virtual NamesOfFile names(const FileRef& file, std::span<const FileOffset> offsets,
                                          WorkBudget& budget) = 0;
  // The names of the variables at `addresses`, which ascend and are distinct. The cost is taken from `budget`.
  [[nodiscard]] virtual NamesOfFile data_names(const FileRef& file, std::span<const ElfAddress> addresses,
                                               WorkBudget& budget) = 0;
  // Source positions and inlined functions: the chain [i] is for addresses[i], in any order. The cost is taken from
  // `budget`.
  [[nodiscard]] virtual LinesOfFile lines(const FileRef& file, std::span<const ElfAddress> addresses,
                                          WorkBudget& budget) = 0;
  // Names in the vDSO, the kernel's own code in every process; `offsets` count from its start.
  [[nodiscard]] virtual NamesOfFile vdso_names(std::span<const FileOffset> offsets) = 0;

  // The rules for walking stacks through the file's code. Number 0 means the vDSO.
  [[nodiscard]] virtual UnwindOfFile unwind_table(const FileRef& file, WorkBudget& budget) = 0;

  // What a process tells profilers about the code that it makes: a jitdump or a perf map.
  struct JitMapRef {
    FileNumber number = FileNumber::none;  // to ask by; `none`: there is no map
    std::uint64_t size_bytes = 0;
    std::uint64_t owner = 0;  // as CodeFile::owner()
    bool is_dump = false;     // a jitdump, which the FileKeeper has open because the process has mapped it
  };
  // The jitdump with that number, as it is now.
  [[nodiscard]] virtual JitMapRef jit_dump(FileNumber number) = 0;
  // The perf map of the process, as it is now. `last_user`: as in open_perf_map().
  [[nodiscard]] virtual JitMapRef perf_map_of(std::uint32_t tgid, std::optional<std::uint32_t> last_user) = 0;
  // What the map says about `addresses`, which ascend and are distinct. `budget` counts bytes.
  [[nodiscard]] virtual NamesOfJit jit_names(std::uint32_t tgid, const JitMapRef& map,
                                             std::span<const RuntimeAddress> addresses, WorkBudget& budget) = 0;

  // As many names, in the same order. A name that cannot be demangled stays as it is; without an answer all do.
  [[nodiscard]] virtual std::vector<std::string> demangled(std::span<const std::string> names) = 0;
  // Closes the files that were read, until the next question.
  virtual void release_files() = 0;
  // `meanwhile` is called now and then while an answer about a file is awaited, at least every tenth of a second. It
  // must not ask this reader.
  virtual void set_meanwhile(const std::function<void()>& /*meanwhile*/) {}
};

}  // namespace profile
