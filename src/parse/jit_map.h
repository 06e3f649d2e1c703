// Finds names of code that a run-time compiled into memory, out of what it writes for profilers. That is a perf map
// (/tmp/perf-PID.map: lines of "START SIZE NAME" in hex, Documentation/jit-interface.txt of perf), or a jitdump, which
// also has the lines of the source. The profiled program writes the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "elf/symbol.h"
#include "model/address.h"
#include "parse/jit_dump.h"
#include "support/work_budget.h"

namespace profile {

struct JitSymbol : Symbol {
  std::string file;        // of the source, as the run-time gives it; empty when not known
  std::uint32_t line = 0;  // 0: not known
};

// One map, and what is remembered of it: the stretches of memory that were asked for, and how far the map was read. As
// a rule a map only grows. Then only the added part is read for the known stretches.
class JitMap {
 public:
  // Reads the map, which is open as `fd`. `addresses` ascend and are distinct; `answers` has their size. An address in
  // several entries belongs to the last one, because code is moved and freed. An address in no entry keeps its answer;
  // when `budget` has no room for the necessary reading, the answer is too_large.
  void resolve(int fd, std::span<const RuntimeAddress> addresses, std::span<JitSymbol> answers, WorkBudget& budget);
  // How many entries are remembered.
  [[nodiscard]] std::size_t size() const { return known_.size() + dump_.size() + 1; }

 private:
  // A stretch that one entry or one of its lines holds. Without a name: a stretch that no entry holds.
  struct Known {
    std::uint64_t last = 0;
    JitSymbol symbol;
  };
  enum class Part : bool { all, added };

  [[nodiscard]] bool is_continued(int fd, std::uint64_t device, std::uint64_t inode, std::uint64_t size) const;
  void read(int fd, Part part, std::uint64_t from, std::uint64_t to, std::span<const RuntimeAddress> addresses,
            std::span<JitSymbol> answers, WorkBudget& budget);
  [[nodiscard]] bool remember_end(int fd, std::uint64_t end);
  void remember(RuntimeAddress address, const JitSymbol& answer);
  void drop(std::uint64_t first, std::uint64_t last);
  [[nodiscard]] const Known* find(RuntimeAddress address) const;
  void forget();

  bool is_dump_ = false;
  JitDump dump_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::uint64_t end_ = 0;                 // end of what was read
  std::string last_bytes_;                // before end_; they tell whether the map was written again
  std::map<std::uint64_t, Known> known_;  // by the first address
};

}  // namespace profile
