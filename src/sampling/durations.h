// The user side of bpf/durations.bpf.h, for the sources that measure durations. Besides the stacks they keep a table of
// durations, which user space reads and empties for each report.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abi/durations.h"
#include "model/measures.h"
#include "sampling/source.h"
#include "sampling/traced.h"
#include "support/bpf.h"

namespace profile {

class DurationRows {
 public:
  // Call it between opening and loading. Without tables its map has only one entry.
  static void prepare(bpf_object& object, const SamplingOptions& options, std::uint32_t most_rows);

  // `programs` must outlive this object. `thing` is the noun for one measured item: "wait".
  DurationRows(TracedPrograms& programs, std::uint32_t most_rows, const char* thing);

  // For Source::make_room().
  void make_room();
  struct Sum {
    Durations durations;
    std::uint64_t bytes = 0;
    std::string comm;  // name of one of the threads that were counted
  };
  // A row without its durations.
  using RowOf = std::function<DurationTable::Row(std::uint64_t what, std::uint32_t whose, const Sum&)>;
  // For Source::collect(): flush() before the recorder is read, take() after it. take() returns `table` with its rows,
  // largest total first.
  void flush(bool stopped);
  [[nodiscard]] DurationTable take(DurationTable table, bool stopped, const RowOf& row_of);

  // The lines for the summary: those of the programs, and what the table lacks.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  // Moves the rows of the BPF map into this object. `stopped`: no BPF program runs any more.
  void take_rows(bool stopped);

  TracedPrograms& programs_;
  int map_fd_;
  std::uint32_t most_rows_;
  const char* thing_;
  SharedValues<durations_state> state_;
  ProgramBarrier barrier_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Sum> sums_;  // by `what` and `whose` of durations_key
};

}  // namespace profile
