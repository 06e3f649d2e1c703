// The files of a series, and all work in their directory: a trial, writing a file, and removing old files.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <string>

#include "files/file_series.h"
#include "files/path_pattern.h"

namespace profile {

class SeriesFiles {
 public:
  SeriesFiles(PathPattern pattern, const FileSeries::Settings& settings)
      : pattern_(std::move(pattern)), settings_(settings) {}

  [[nodiscard]] const PathPattern& pattern() const { return pattern_; }
  // Returns the errno with which the first file could not be written; 0: it could.
  [[nodiscard]] int try_out() const;

  struct Outcome {
    int error = 0;            // errno
    std::uint64_t again = 1;  // as of PathPattern::expand()
    std::string why = {};     // a message in place of errno's, when the file is not the reason
  };
  [[nodiscard]] Outcome write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) const;
  // Counts a file that this process or a child has written.
  void note_written(std::uint64_t unix_ns, std::uint64_t again);
  // Removes the oldest files beyond the number to keep.
  void remove_old() const;
  // The path of the next file.
  [[nodiscard]] std::string path(std::uint64_t unix_ns, std::uint64_t again = 1) const;

 private:
  [[nodiscard]] int open_directory(const std::string& path) const;
  [[nodiscard]] Outcome attempt(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) const;
  [[nodiscard]] std::size_t remove_old(const std::string& directory, std::uint64_t keep) const;

  PathPattern pattern_;
  FileSeries::Settings settings_;
  std::uint64_t written_ = 0;
  std::string last_directory_;
  // The names of this run's newest files, the latest last, as many as are kept. Needed because the clock that stamps
  // files may be set back.
  std::deque<std::string> own_;
  std::string last_name_;         // without `again`
  std::uint64_t last_again_ = 0;  // of the last file with that name
};

}  // namespace profile
