// Where reports go: each output's open destination, or its series of files, and its format. One that cannot be written
// to does not take the others along.
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
  // Opens all. Throws Error when one cannot be opened. `say` prints a line for the person.
  Reports(const Options& options, std::function<void(const std::string&)> say);

  // Has `loop` see that nobody reads stdout any more, though nothing is to be written for long; it must not run once
  // this is gone.
  void watch(EventLoop& loop);
  void begin(const RunInfo& run);
  void report(const Profile& profile);
  void close();
  // What there is to say once they are closed: the hottest functions of a run that is one report, and what was written.
  // Nothing of what stands on stdout, unless that is a terminal: there the answer has scrolled away.
  [[nodiscard]] std::vector<std::string> answer() const;
  // Whether anybody is left to write for.
  [[nodiscard]] bool any_open() const;
  // Whether something could not be written; a reader that went away does not count.
  [[nodiscard]] bool have_failed() const;

 private:
  struct Report {
    std::variant<Destination, FileSeries> target;
    std::unique_ptr<Output> output;
    const OutputFormat* format = nullptr;
    bool is_open = true;  // false once a destination could not be written to, or nobody reads it any more
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
