#include "files/file_series.h"

#include <ctime>
#include <ostream>
#include <utility>

#include "files/detached_series.h"
#include "files/series_files.h"
#include "support/error.h"
#include "support/plural.h"

namespace profile {

FileSeries::FileSeries(PathPattern pattern, const Settings& settings, std::function<void(const std::string&)> say)
    : has_next_(settings.has_next),
      say_(std::move(say)),
      files_(std::make_unique<SeriesFiles>(std::move(pattern), settings)) {
  if (settings.keep && files_->pattern().directory_varies()) {
    throw usage_error("--keep counts the files of one directory, and that of " + files_->pattern().text() + " varies");
  }
  SeriesFiles::Outcome outcome = files_->try_out();
  if (outcome.is_served) {
    detached_ = std::make_unique<DetachedSeries>(*files_);
    outcome = detached_->try_out();
  }
  if (outcome.failure.error == 0) return;
  const std::uint64_t now_ns = static_cast<std::uint64_t>(std::time(nullptr)) * 1'000'000'000;
  throw unwritable(files_->path(now_ns), outcome.failure);
}

FileSeries::~FileSeries() = default;

FileSeries::FileSeries(FileSeries&&) noexcept = default;

void FileSeries::write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) {
  SeriesFiles::Outcome outcome = detached_ ? detached_->write(unix_ns, print) : files_->write(unix_ns, print);
  if (outcome.is_served) {  // since the start, something was mounted there
    detached_ = std::make_unique<DetachedSeries>(*files_);
    outcome = detached_->write(unix_ns, print);
  }
  const std::string path = files_->path(unix_ns, outcome.again);
  if (outcome.failure.error != 0) {
    ++lost_;
    if (lost_in_a_row_++ != 0) return;
    say_("profile: cannot write " + path + ": " + words_of(outcome.failure) +
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
