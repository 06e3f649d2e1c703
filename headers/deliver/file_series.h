// Reports that go to a file each, by a pattern. A file is there whole or not at all, so that whoever watches the
// directory can take it at once. What cannot be written is lost, said, and no reason to stop: the disk may have room
// again for the next.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "deliver/path_pattern.h"

namespace profile {

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

  // A file with what `print` prints, of a report that began at `unix_ns`; `print` may be called twice. By a pattern
  // with a time in it no file is ever overwritten; by a running number alone those of an earlier run are.
  void write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print);
  // Says how many are missing when that has not been said.
  void close();
  // How many reports could not be written.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  struct Outcome {
    std::string path;      // that was written, or could not be
    int error = 0;         // errno
    std::string why = {};  // in other words than that of errno, where it is not the file's fault
  };

  [[nodiscard]] int open_directory(const std::string& path) const;
  [[nodiscard]] Outcome attempt(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print);
  [[nodiscard]] std::size_t remove_old(const std::string& directory, std::uint64_t keep, std::string_view newest) const;

  PathPattern pattern_;
  Settings settings_;
  std::function<void(const std::string&)> say_;
  std::uint64_t written_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t lost_in_a_row_ = 0;
  std::string last_name_;         // without `again`
  std::uint64_t last_again_ = 0;  // of files by that name
};

}  // namespace profile
