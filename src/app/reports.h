// The outputs of the reports: for each the open destination or series of files, and the format. If one output cannot be
// written, the others continue.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/options.h"
#include "files/destination.h"
#include "files/file_series.h"
#include "support/event_loop.h"

namespace profile {

class Reports {
 public:
  // Opens all outputs. Throws Error when one cannot be opened. `say` prints a line for the user.
  Reports(const Options& options, std::function<void(const std::string&)> say);

  // Makes `loop` notice that the reader of stdout has gone, also while nothing is written for a long time. `loop` must
  // not run after this object is destroyed.
  void watch(EventLoop& loop);
  void begin(const RunInfo& run);
  void report(const Profile& profile);
  void close();
  // Lines for the user after close(): the hottest functions if the run has one report only, and the written files. The
  // functions are left out if the only report is on stdout, unless stdout is a terminal, where it has scrolled away.
  [[nodiscard]] std::vector<std::string> answer() const;
  // Whether any output is left to write to.
  [[nodiscard]] bool any_open() const;
  // Whether something could not be written. A reader of stdout that went away does not count.
  [[nodiscard]] bool have_failed() const;

 private:
  struct Report {
    std::variant<Destination, FileSeries> target;
    std::unique_ptr<Output> output;
    const OutputFormat* format = nullptr;
    bool is_open = true;  // false once a destination could not be written, or its reader has gone
  };

  [[nodiscard]] std::variant<Destination, FileSeries> target_of(const OutputRequest& request,
                                                                std::optional<std::uint64_t> keep) const;
  void refuse_same_file() const;
  [[nodiscard]] bool wants_hottest() const;
  void append(Report& report, Destination& destination, const std::function<void(std::ostream&)>& print);
  void attempt(Report& report, const std::function<void()>& write);

  std::function<void(const std::string&)> say_;
  std::optional<double> interval_s_;
  std::vector<Report> reports_;
  std::size_t most_functions_;
  bool quiet_;
  std::vector<std::string> hottest_;
  bool have_failed_ = false;
};

}  // namespace profile
