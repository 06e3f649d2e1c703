// What the numbers of a pprof file are: which of a sample's values is shown, in which unit, and what is said of the
// run.
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
  // Looks at all samples once. Throws Error for values that are negative.
  explicit PprofValues(const PprofFile& file);

  // Of Row.
  [[nodiscard]] std::uint64_t value(const PprofFile::Sample& sample) const {
    return static_cast<std::uint64_t>(sample.values[are_samples_ ? *count_ : shown_]);
  }
  [[nodiscard]] std::uint64_t samples(const PprofFile::Sample& sample) const {
    return count_ ? static_cast<std::uint64_t>(sample.values[*count_]) : 1;
  }
  // Event, unit, rate.
  void describe(RunInfo& run) const;

 private:
  void choose();
  [[nodiscard]] bool is_time() const { return file_.sample_types()[shown_].unit == "nanoseconds"; }

  const PprofFile& file_;
  std::size_t shown_ = 0;             // index of the sample type
  std::optional<std::size_t> count_;  // of the one that counts what makes up the value; may be the same
  bool are_samples_ = false;          // what is shown is so many samples, or so many times the period
};

// What the profiler's own comments say: its header, and where every sample went. False when they are another's.
bool read_own_comments(const PprofFile& file, RunInfo& run, Account& account);

// Whether the profiler's own comments say that user stacks which have no label for their end are whole.
bool read_ends_are_told(const PprofFile& file);

// Where the mappings begin that the profiler moved, as its comment says; ascending.
std::vector<std::uint64_t> read_moved(const PprofFile& file);

}  // namespace profile
