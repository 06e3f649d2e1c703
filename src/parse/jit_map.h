// Names of code that a run-time compiled into memory, out of what it writes for profilers: a perf map,
// /tmp/perf-PID.map, lines of "START SIZE NAME" in hex (Documentation/jit-interface.txt of perf), or a jitdump, which
// has the lines of the source, too. The file is written by the profiled program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "elf/symbol_source.h"
#include "model/address.h"
#include "parse/jit_dump.h"
#include "parse/jit_entry.h"
#include "support/work_budget.h"

namespace profile {

struct JitSymbol : Symbol {
  std::string file;        // of the source, as the run-time says it; empty when not known
  std::uint32_t line = 0;  // 0: not known
};

// One map, and what is remembered of it from one time to the next: which stretches of memory were asked for, and up to
// where it was read. It only grows, as a rule, and then only what was added is read for what is known.
class JitMap {
 public:
  // Of `fd`, the map as it is open now. `addresses` ascend and are distinct, `answers` has their size. An address in
  // several entries belongs to the last one: code is moved and freed. What no entry holds stays as it was. What cannot
  // be told because `budget`, in bytes, has no room for what is to be read is too_large.
  void resolve(int fd, std::span<const RuntimeAddress> addresses, std::span<JitSymbol> answers, WorkBudget& budget);
  // How much is remembered.
  [[nodiscard]] std::size_t size() const { return known_.size() + dump_.size() + 1; }

 private:
  // A stretch that one entry holds, or one line of it, or, without a name, none.
  struct Known {
    std::uint64_t last = 0;
    std::uint64_t start = 0;  // of the entry
    std::string name;
    std::string file;
    std::uint32_t line = 0;
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
  std::uint64_t end_ = 0;                 // of what was read
  std::string last_bytes_;                // before it, by which a map that was written anew is told
  std::map<std::uint64_t, Known> known_;  // by first address
};

}  // namespace profile
