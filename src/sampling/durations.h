// What the sources share that time something and add it up by name besides: the user side of bpf/durations.bpf.h, a
// table of durations that is read and emptied for each report and stands beside the stacks.
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

// The programs of such a source, their samples, which are spans weighted in microseconds, and the table.
class TimedPrograms {
 public:
  // `thing`: what is timed, for the summary: "wait". `tag_text` as in Reading.
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

  // Source::make_room()
  void make_room();
  // Source::collect(), before the recorder is read and after it. `table` comes without its rows.
  void flush(bool stopped);
  [[nodiscard]] DurationTable take(DurationTable table, bool stopped, const DurationRows::LabelsOf& labels_of);

 private:
  TracedPrograms programs_;
  Recorder recorder_;
  DurationRows rows_;
  const char* thing_;
};

}  // namespace profile
