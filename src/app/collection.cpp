#include "app/collection.h"

#include <utility>

#include "app/tracing_frames.h"
#include "sampling/recorder.h"
#include "support/clock.h"

namespace profile {

Collection::Collection(RunInfo run, Source& source, ProcessTimeline& timeline, Symboliser& symboliser,
                       Watching& watching)
    : run_(std::move(run)), source_(source), timeline_(timeline), symboliser_(symboliser), watching_(watching) {
  begin(monotonic_ns());
}

void Collection::begin(std::uint64_t now_ns) {
  profile_ = std::make_shared<Profile>();
  profile_->run = run_;
  began_ns_ = now_ns;
  profile_->began_unix_ns = began_ns_ + unix_offset_ns();
}

void Collection::consume() {
  source_.recorder().consume(timeline_, *profile_);
  relieve_if_filling();
}

void Collection::relieve_if_filling() {
  if (source_.is_filling()) source_.relieve(timeline_, *profile_);
}

// What is sampled from here on belongs to what follows, however long naming and writing take.
void Collection::take(bool stopped) {
  const std::uint64_t now_ns = taken_ns_ = monotonic_ns();
  source_.collect(timeline_, *profile_, stopped);
  profile_->duration_ns = now_ns - began_ns_;
  symboliser_.name(*profile_);
  if (source_.has_tracing_frames()) remove_tracing_frames(*profile_);
  account_ += profile_->account;
  frame_report_.add(*profile_);
  if (!stopped) timeline_.forget_before(now_ns);
}

void Collection::pass_on(const Reports& reports) {
  const std::shared_ptr<const Profile> shown = std::exchange(profile_, nullptr);
  begin(taken_ns_);
  watching_.add(shown, account_, source_.cost());
  if (!reports.any_open()) return;
  if (!since_report_) {
    since_report_ = std::make_unique<Profile>();
    since_report_->run = run_;
  }
  since_report_->merge(*shown);
}

void Collection::show(const Reports& reports) {
  take(false);
  pass_on(reports);
}

void Collection::report(Reports& reports, bool stopped) {
  take(stopped);
  // The terminal may have been given back by now.
  if (watching_.any() || since_report_) {
    pass_on(reports);
    if (since_report_) reports.report(*since_report_);
    since_report_.reset();
  } else {
    reports.report(*profile_);
    begin(taken_ns_);
  }
}

std::uint64_t Collection::samples() const {
  return account_.taken + profile_->account.taken + source_.pending_samples();
}

std::uint64_t Collection::rows() const { return profile_->rows().size() + source_.recorder().pending_rows(); }

}  // namespace profile
