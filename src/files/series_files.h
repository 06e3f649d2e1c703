// The files of a series, and all that touches their directory: trying it out, writing one, removing the old.
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
  // The errno with which the first file could not be written.
  [[nodiscard]] int try_out() const;

  struct Outcome {
    int error = 0;            // errno
    std::uint64_t again = 1;  // as of PathPattern::expand()
    std::string why = {};     // in other words than that of errno, where it is not the file's fault
  };
  [[nodiscard]] Outcome write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) const;
  // What was written, by whatever process, counts from here on.
  void note_written(std::uint64_t unix_ns, std::uint64_t again);
  // Those that are too many since then.
  void remove_old() const;
  // Of the next file.
  [[nodiscard]] std::string path(std::uint64_t unix_ns, std::uint64_t again = 1) const;

 private:
  [[nodiscard]] int open_directory(const std::string& path) const;
  [[nodiscard]] Outcome attempt(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) const;
  [[nodiscard]] std::size_t remove_old(const std::string& directory, std::uint64_t keep) const;

  PathPattern pattern_;
  FileSeries::Settings settings_;
  std::uint64_t written_ = 0;
  std::string last_directory_;
  // Of this run, the latest last, as many as are kept: the clock that stamps files may be set back meanwhile.
  std::deque<std::string> own_;
  std::string last_name_;         // without `again`
  std::uint64_t last_again_ = 0;  // of files by that name
};

}  // namespace profile
