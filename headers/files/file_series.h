// Reports that go to a file each, by a pattern. A file is there whole or not at all, so that whoever watches the
// directory can take it at once. What cannot be written is lost, said, and no reason to stop: the disk may have room
// again for the next.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "files/path_pattern.h"

namespace profile {

class AsideSeries;
class SeriesFiles;

class FileSeries {
 public:
  struct Settings {
    std::optional<std::uint64_t> keep = std::nullopt;  // so many files, those of earlier runs included; none: all
    bool makes_directory = false;                      // its last level, when it is missing; so does one that varies
    bool has_next = true;                              // there is more than one report
  };
  // Throws Error when nothing can be written there, a usage Error when the files to keep would be in several
  // directories. `say` prints a line for the person.
  FileSeries(PathPattern pattern, const Settings& settings, std::function<void(const std::string&)> say);
  ~FileSeries();
  FileSeries(FileSeries&&) noexcept;
  FileSeries& operator=(FileSeries&&) = delete;
  FileSeries(const FileSeries&) = delete;
  FileSeries& operator=(const FileSeries&) = delete;

  // A file with what `print` prints, of a report that began at `unix_ns`; `print` may be called twice. By a pattern
  // with a time in it no file is ever overwritten; by a running number alone those of an earlier run are.
  void write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print);
  // Says how many are missing when that has not been said.
  void close();
  // How many were, and where the last of them is.
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] const std::string& last_path() const { return last_path_; }
  // How many reports could not be written.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  bool has_next_;
  std::function<void(const std::string&)> say_;
  std::unique_ptr<SeriesFiles> files_;
  std::unique_ptr<AsideSeries> aside_;  // touches the files; null: we do
  std::uint64_t written_ = 0;
  std::string last_path_;
  std::uint64_t lost_ = 0;
  std::uint64_t lost_in_a_row_ = 0;
};

}  // namespace profile
