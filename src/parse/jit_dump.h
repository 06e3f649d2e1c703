// Reads the records of a jitdump, which run-times write for `perf inject`: code that was compiled or moved, and its
// lines (tools/perf/Documentation/jitdump-specification.txt of Linux). As perf does, it reads only this machine's byte
// order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "elf/valid_range.h"
#include "support/work_budget.h"

namespace profile {

// A piece of code with a name, from a jitdump or a perf map. If several pieces hold an address, the last one counts.
struct JitEntry {
  std::uint64_t start = 0;
  std::uint64_t last = 0;          // the last address it holds
  std::uint64_t name_offset = 0;   // in the file; names are read only when it is known which entries count
  std::uint32_t name_bytes = 0;    // a longer name is cut off; 0: no name
  std::uint64_t lines_offset = 0;  // in a jitdump: where the record of its lines begins; 0: none
  std::uint64_t moved_by = 0;      // since its lines were written, modulo 2^64
};

// How far such a file was read.
struct JitPart {
  std::uint64_t end = 0;  // of the last entry that was read
  bool is_whole = false;  // everything was wanted, and the budget had room for it
};

// Whether the file begins as a jitdump.
[[nodiscard]] bool is_jit_dump(int fd);

class JitDump {
 public:
  // Calls `visit` with the code of each record in [from, to) of the file; `visit` returns whether it wants more. `from`
  // is 0, or where the last part ended. A record that reaches beyond `to` is still being written; a record shorter than
  // its own head ends the dump. `budget` counts bytes.
  [[nodiscard]] JitPart read(int fd, std::uint64_t from, std::uint64_t to, WorkBudget& budget,
                             const std::function<bool(const JitEntry&)>& visit);
  // How many entries are remembered from one part to the next.
  [[nodiscard]] std::size_t size() const { return loads_.size() + lines_.size(); }

 private:
  // Few run-times move code, so loads are kept only from the first move on.
  bool keeps_loads_ = false;
  std::unordered_map<std::uint64_t, JitEntry> loads_;       // by code_index: gives moved code its name
  std::unordered_map<std::uint64_t, std::uint64_t> lines_;  // by address of code yet to come: its lines in the file
};

struct JitLine {
  std::uint64_t file_offset = 0;  // where in the dump the name of the source file stands
  std::uint32_t file_bytes = 0;   // 0: no line is known
  std::uint32_t line = 0;
  ValidRange valid_range;  // around the address
};
// What the record of lines at `offset` says about `addresses`, which ascend.
[[nodiscard]] std::vector<JitLine> read_jit_lines(int fd, std::uint64_t offset,
                                                  std::span<const std::uint64_t> addresses, WorkBudget& budget);

}  // namespace profile
