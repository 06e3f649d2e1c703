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
#include "parse/jit_entry.h"
#include "support/work_budget.h"

namespace profile {

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
