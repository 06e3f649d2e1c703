// Where reports go: each output's open destination and its format. One that cannot be written to does not take the
// others along.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "app/options.h"
#include "deliver/destination.h"

namespace profile {

class Reports {
 public:
  // Opens all. Throws Error when one cannot be opened. `say` prints a line for the person.
  Reports(const Options& options, std::function<void(const std::string&)> say);

  void begin(const RunInfo& run);
  void report(const Profile& profile);
  void close();
  // Whether anybody is left to write for.
  [[nodiscard]] bool any_open() const;
  // Whether something could not be written; a reader that went away does not count.
  [[nodiscard]] bool have_failed() const { return have_failed_; }

 private:
  struct Report {
    Destination destination;
    std::unique_ptr<Output> output;
    bool is_open = true;  // false once it could not be written to, or nobody reads it any more
  };

  void write_all(const std::function<void(Report&, std::ostream&)>& print);
  void attempt(Report& report, const std::function<void()>& write);

  std::function<void(const std::string&)> say_;
  std::vector<Report> reports_;
  bool have_failed_ = false;
};

}  // namespace profile
