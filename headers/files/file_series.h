// Writes each report to a file of its own, named by a pattern. A file appears only when it is complete, so that a
// program that watches the directory can use it at once.
// A report that cannot be written is lost with a message, and the run goes on: the disk may have room for the next one.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "files/path_pattern.h"
#include "files/readers.h"

namespace profile {

class DetachedSeries;
class SeriesFiles;

class FileSeries {
 public:
  struct Settings {
    std::optional<std::uint64_t> keep = std::nullopt;  // newest files, also of earlier runs; nullopt: all
    bool makes_directory = false;  // makes the last directory if it is missing; varying directories are always made
    Readers readers = Readers::anyone;
    bool has_next = true;  // the run has more than one report
  };
  // Throws Error when no file can be written there, and a usage Error when the files to keep would be in several
  // directories. `say` prints a line for the user.
  FileSeries(PathPattern pattern, const Settings& settings, std::function<void(const std::string&)> say);
  ~FileSeries();
  FileSeries(FileSeries&&) noexcept;

  // Writes a file with the output of `print`, for a report that began at `unix_ns`; `print` may be called twice.
  // A pattern with a time never overwrites a file. A pattern with only a running number overwrites files of an earlier
  // run.
  void write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print);
  // Ends the series. Says how many of the last reports are missing, unless it was said before.
  void close();
  // How many reports were written, and the path of the last one.
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] const std::string& last_path() const { return last_path_; }
  // How many reports could not be written.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  bool has_next_;
  std::function<void(const std::string&)> say_;
  std::unique_ptr<SeriesFiles> files_;
  std::unique_ptr<DetachedSeries> detached_;  // does all work on the files; nullptr: this process does it
  std::uint64_t written_ = 0;
  std::string last_path_;
  std::uint64_t lost_ = 0;
  std::uint64_t lost_in_a_row_ = 0;
};

}  // namespace profile
