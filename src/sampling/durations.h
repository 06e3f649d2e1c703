// The user side of bpf/durations.bpf.h, for the sources that measure durations. Besides the stacks they keep a table of
// durations, which user space reads and empties for each report.
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
#include "sampling/source.h"
#include "sampling/traced.h"
#include "sampling/walk.h"
#include "support/bpf.h"

namespace profile {

class DurationRows {
 public:
  // Call it between opening and loading. A stream needs no rows, so its map has only one entry.
  static void prepare(bpf_object& object, const SamplingOptions& options, std::uint32_t most_rows);

  // `object` must be loaded, and must outlive this object.
  DurationRows(bpf_object& object, std::uint32_t most_rows);

  // Call it before the program `flush` runs; `last`: the run is over.
  void set_last_flush(bool last) { state_->last_flush = last ? 1 : 0; }
  // True when more than half of the map is full: take() should be called.
  [[nodiscard]] bool is_filling() const;
  // Moves the rows of the BPF map into this object. `stopped`: no BPF program runs any more.
  void take(bool stopped);

  struct Sum {
    Durations durations;
    std::uint64_t bytes = 0;
    std::string comm;  // name of one of the threads that were counted
  };
  // Moves what take() has collected into the rows of `table`, largest total first.
  using LabelsOf = std::function<std::vector<StringId>(std::uint64_t what, std::uint32_t whose, const Sum&)>;
  void fill(DurationTable& table, const LabelsOf& labels_of);

  // Lines for the summary; `thing` is the noun for one measured item: "wait".
  [[nodiscard]] std::vector<std::string> notes(std::string_view thing) const;

 private:
  int map_fd_;
  std::uint32_t most_rows_;
  SharedArray state_memory_;
  durations_state* state_;
  ProgramBarrier barrier_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Sum> sums_;  // by `what` and `whose` of durations_key
};

// The BPF programs of such a source, its samples (spans with a weight in microseconds) and its table.
class TimedPrograms {
 public:
  // `thing`: as in DurationRows::notes(). `tag_text`: as in ValueConversion.
  TimedPrograms(const TracedPrograms::Plan& plan, const SamplingOptions& options, std::uint32_t most_rows,
                const char* thing, std::function<std::string(std::uint32_t)> tag_text)
      : programs_(plan, within_kernel_depth(options)),
        recorder_(programs_.object(), within_kernel_depth(options),
                  ValueConversion{.divisor = 1000, .tag_text = std::move(tag_text)}),
        rows_(programs_.object(), most_rows),
        thing_(thing) {}

  void start() { programs_.attach(); }
  void stop() { programs_.detach(); }
  [[nodiscard]] Recorder& recorder() { return recorder_; }
  [[nodiscard]] bpf_object& object() const { return programs_.object(); }
  [[nodiscard]] BpfCost cost() const { return programs_.cost(); }
  [[nodiscard]] std::vector<std::string> notes() const;

  // For Source::make_room().
  void make_room();
  // For Source::collect(): flush() before the recorder is read, take() after it. take() fills in the rows of `table`.
  void flush(bool stopped);
  [[nodiscard]] DurationTable take(DurationTable table, bool stopped, const DurationRows::LabelsOf& labels_of);

 private:
  TracedPrograms programs_;
  Recorder recorder_;
  DurationRows rows_;
  const char* thing_;
};

}  // namespace profile
