#include "files/file_series.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <ostream>
#include <utility>

#include "files/detached_series.h"
#include "files/series_files.h"
#include "support/error.h"
#include "support/fd.h"
#include "support/plural.h"

namespace profile {
namespace {

// Whether the deepest existing directory of the fixed part is on a file system that may never answer.
bool lies_elsewhere(const PathPattern& pattern) {
  std::string directory = pattern.fixed_directory();
  for (;;) {
    const Fd place(::open(directory.empty() ? "." : directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (place || errno != ENOENT || directory.size() < 2) return place && is_served_elsewhere(place, S_IFDIR);
    directory.resize(directory.rfind('/', directory.size() - 2) + 1);
  }
}

}  // namespace

FileSeries::FileSeries(PathPattern pattern, const Settings& settings, std::function<void(const std::string&)> say)
    : has_next_(settings.has_next),
      say_(std::move(say)),
      files_(std::make_unique<SeriesFiles>(std::move(pattern), settings)) {
  if (settings.keep && files_->pattern().directory_varies()) {
    throw usage_error("--keep counts the files of one directory, and that of " + files_->pattern().text() + " varies");
  }
  if (lies_elsewhere(files_->pattern())) detached_ = std::make_unique<DetachedSeries>(*files_);
  const int error = detached_ ? detached_->try_out() : files_->try_out();
  if (error == 0) return;
  const std::uint64_t now_ns = static_cast<std::uint64_t>(std::time(nullptr)) * 1'000'000'000;
  throw unwritable(files_->path(now_ns), error, detached_ != nullptr);
}

FileSeries::~FileSeries() = default;

FileSeries::FileSeries(FileSeries&&) noexcept = default;

void FileSeries::write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) {
  const SeriesFiles::Outcome outcome = detached_ ? detached_->write(unix_ns, print) : files_->write(unix_ns, print);
  const std::string path = files_->path(unix_ns, outcome.again);
  if (outcome.error != 0) {
    ++lost_;
    if (lost_in_a_row_++ != 0) return;
    say_("profile: cannot write " + path + ": " + (outcome.why.empty() ? std::strerror(outcome.error) : outcome.why) +
         (has_next_ ? "; the run goes on, and the next report is tried again" : ""));
    return;
  }
  files_->note_written(unix_ns, outcome.again);
  ++written_;
  last_path_ = path;
  if (lost_in_a_row_ != 0) {
    say_("profile: " + path + " is written; " + number_of(lost_in_a_row_, "report") + " before it could not be");
    lost_in_a_row_ = 0;
  }
  if (!detached_) files_->remove_old();
}

void FileSeries::close() {
  const std::string& all = files_->pattern().text();
  if (detached_ && !detached_->finish()) say_("profile: old files of " + all + " may be left: " + takes_nothing);
  if (lost_in_a_row_ > 1) say_("profile: " + number_of(lost_in_a_row_, "report") + " of " + all + " were not written");
  lost_in_a_row_ = 0;
}

}  // namespace profile
