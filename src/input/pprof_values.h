// The meaning of the numbers in a pprof file: which value of a sample is shown, in which unit, and what the file says
// about the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "input/pprof_file.h"
#include "model/profile.h"

namespace profile {

class PprofValues {
 public:
  // Reads all samples once. Throws Error for negative values.
  explicit PprofValues(const PprofFile& file);

  [[nodiscard]] bool has_samples() const { return count_.has_value(); }
  // The members of Row with these names. samples(): only if has_samples().
  [[nodiscard]] std::uint64_t value(const PprofFile::Sample& sample) const {
    return static_cast<std::uint64_t>(sample.values[are_samples_ ? *count_ : shown_]);
  }
  [[nodiscard]] std::uint64_t samples(const PprofFile::Sample& sample) const {
    return static_cast<std::uint64_t>(sample.values[*count_]);
  }
  // Sets event, unit and rate.
  void describe(RunInfo& run) const;

 private:
  void choose();
  [[nodiscard]] bool is_time() const { return file_.sample_types[shown_].unit == "nanoseconds"; }

  const PprofFile& file_;
  std::size_t shown_ = 0;             // index of the sample type
  std::optional<std::size_t> count_;  // index of the sample type that counts what the value sums; may equal shown_
  bool are_samples_ = false;          // the shown value is the number of samples, or that number times the period
};

// Reads the comments that this profiler writes: its header, and what became of every sample. False if the file has no
// such comments, so another program wrote it.
bool read_own_comments(const PprofFile& file, RunInfo& run, Account& account);

// Gives event and unit the names that the header of this profiler has, because the types of a pprof file are only
// identifiers: "page_faults". Names of other files stay as they are.
void read_own_names(const PprofFile& file, RunInfo& run);

// Whether this profiler's comments say that user stacks without a label for their end are whole.
bool has_read_ends(const PprofFile& file);

// The start addresses of the mappings that this profiler moved, as its comment says; ascending.
std::vector<std::uint64_t> read_moved(const PprofFile& file);

}  // namespace profile
