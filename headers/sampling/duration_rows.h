// The user side of bpf/durations.bpf.h: a table of durations, read and emptied for each report.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abi/durations.h"
#include "model/measures.h"
#include "sampling/recorder.h"
#include "support/bpf.h"

namespace profile {

class DurationRows {
 public:
  // Between opening and loading. In a stream there are no rows.
  static void prepare(bpf_object& object, const SamplingOptions& options, std::uint32_t most_rows);

  // `object` is loaded and outlives this.
  DurationRows(bpf_object& object, std::uint32_t most_rows);

  // Before the program `flush` runs: whether it is for the last time.
  void set_last_flush(bool last) { state_->last_flush = last ? 1 : 0; }
  // Whether the map has filled so far that take() is due.
  [[nodiscard]] bool is_filling() const;
  // Moves what the kernel side has counted here. `stopped`: no program runs any more.
  void take(bool stopped);

  struct Sum {
    Durations durations;
    std::uint64_t bytes = 0;
    std::string comm;  // of the thread that was the first
  };
  // Moves what was taken into the rows of `table`, the largest total first.
  using LabelsOf = std::function<std::vector<StringId>(std::uint64_t what, std::uint32_t whose, const Sum&)>;
  void fill(DurationTable& table, const LabelsOf& labels_of);

  // What is to be said in the summary; `thing` is one of what is measured.
  [[nodiscard]] std::vector<std::string> notes(std::string_view thing) const;

 private:
  int map_fd_;
  std::uint32_t most_rows_;
  SharedArray state_memory_;
  durations_state* state_;
  ProgramBarrier barrier_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Sum> sums_;  // by what and whose
};

}  // namespace profile
