// Writes a series of files on a file system that may never answer: a child process does all work on the files. The
// report at which the child is stuck is lost, and so are later ones until the file system answers; then a new child
// starts.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>

#include "children/detached_child.h"
#include "files/failure.h"
#include "files/series_files.h"
#include "support/fd.h"

namespace profile {

class DetachedSeries {
 public:
  // `files` must outlive this. The caller must also call note_written() of `files` in this process.
  explicit DetachedSeries(SeriesFiles& files) : files_(files) {}

  // As the same functions of SeriesFiles. ETIMEDOUT: there was no answer in time.
  [[nodiscard]] SeriesFiles::Outcome try_out();
  [[nodiscard]] SeriesFiles::Outcome write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print);
  // Waits until old files are removed. False: some may be left.
  [[nodiscard]] bool finish();

 private:
  struct Request {
    bool is_trial = false;
    std::uint64_t unix_ns = 0;
    std::uint64_t bytes = 0;  // number of bytes that follow
  };
  struct Answer {
    SentFailure failure;
    std::uint64_t again = 1;
  };

  [[nodiscard]] bool has_started();
  [[nodiscard]] SeriesFiles::Outcome ask(const Request& request, const char* bytes);
  // Runs in the child.
  [[nodiscard]] int serve(const Fd& socket);

  SeriesFiles& files_;
  Fd socket_;
  std::optional<DetachedChild> child_;
};

}  // namespace profile
