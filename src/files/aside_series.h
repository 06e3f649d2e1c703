// A series of files on a file system that may never answer: a process of its own does all that touches them. What it is
// stuck at is lost, and so is, at once, all until its file system has answered; then there is another such process.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>

#include "files/aside.h"
#include "files/series_files.h"
#include "support/fd.h"

namespace profile {

class AsideSeries {
 public:
  // `files` must outlive it. What they know of what was written is told to them by the caller.
  explicit AsideSeries(SeriesFiles& files) : files_(files) {}

  // As those of the files; ETIMEDOUT: there was no answer.
  [[nodiscard]] int try_out();
  [[nodiscard]] SeriesFiles::Outcome write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print);
  // Waits until the old files are gone. False: they may not be.
  [[nodiscard]] bool finish();

 private:
  struct Request {
    bool is_trial = false;
    std::uint64_t unix_ns = 0;
    std::uint64_t bytes = 0;  // that follow
  };
  struct Answer {
    int error = 0;
    std::uint64_t again = 1;
  };

  [[nodiscard]] bool has_started();
  [[nodiscard]] Answer ask(const Request& request, const char* bytes);
  // In the other process, for which they are stdin and stdout.
  [[nodiscard]] int serve();

  SeriesFiles& files_;
  Fd socket_;
  std::optional<Aside> child_;
};

}  // namespace profile
