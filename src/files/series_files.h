// The files of a series, and all work in their directory: a trial, writing a file, and removing old files.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <string>

#include "files/failure.h"
#include "files/file_series.h"
#include "files/path_pattern.h"
#include "files/place.h"

namespace profile {

class SeriesFiles {
 public:
  SeriesFiles(PathPattern pattern, const FileSeries::Settings& settings)
      : pattern_(std::move(pattern)), settings_(settings) {}

  [[nodiscard]] const PathPattern& pattern() const { return pattern_; }

  struct Outcome {
    Failure failure = {};
    std::uint64_t again = 1;  // as of PathPattern::expand()
    bool is_served = false;   // nothing was done, because this process may not wait there
  };
  // Whether the first file can be written.
  [[nodiscard]] Outcome try_out() const;
  [[nodiscard]] Outcome write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) const;
  // Counts a file that this process or a child has written.
  void note_written(std::uint64_t unix_ns, std::uint64_t again);
  // Removes the oldest files beyond the number to keep.
  void remove_old() const;
  // Lets this process work also on a file system that may never answer.
  void may_wait() { may_wait_ = true; }
  // The path of the next file.
  [[nodiscard]] std::string path(std::uint64_t unix_ns, std::uint64_t again = 1) const;

 private:
  [[nodiscard]] Place open_directory(const std::string& path) const;
  [[nodiscard]] Outcome attempt(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) const;
  [[nodiscard]] std::size_t remove_old(const std::string& directory, std::uint64_t keep) const;

  PathPattern pattern_;
  FileSeries::Settings settings_;
  bool may_wait_ = false;
  std::uint64_t written_ = 0;
  std::string last_directory_;
  // The names of this run's newest files, the latest last, as many as are kept. Needed because the clock that stamps
  // files may be set back.
  std::deque<std::string> own_;
  std::string last_name_;         // without `again`
  std::uint64_t last_again_ = 0;  // of the last file with that name
};

}  // namespace profile
