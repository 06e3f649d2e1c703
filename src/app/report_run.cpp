#include "app/report_run.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "app/tracing_frames.h"
#include "app/waker_frames.h"
#include "model/stack_roots.h"
#include "support/clock.h"

namespace profile {
namespace {

// How often the page and the view in the terminal get something new.
constexpr double watching_s = live_tick_s;
// Naming and writing take memory in pieces between those that stay; in a run of days the holes are not kept.
constexpr std::uint64_t give_back_every_ns = 30'000'000'000;

}  // namespace

ReportRun::ReportRun(RunInfo run, Reports& reports, Source& source, ProcessTimeline& timeline, Symboliser& symboliser,
                     Watching& watching, RowsApart apart)
    : run_(std::move(run)),
      reports_(reports),
      source_(source),
      timeline_(timeline),
      symboliser_(symboliser),
      watching_(watching),
      apart_(apart) {
  begin_profile(monotonic_ns());
}

void ReportRun::watch(EventLoop& loop) {
  loop.add(source_.poll_fd(), [this] { consume(); });
  reports_.watch(loop);
  if (!watching_.any()) return;
  loop.add_timer(watching_s, watching_s, [this] {
    if (watching_.any()) show();
  });
}

void ReportRun::begin(std::uint64_t began_ns) {
  begin_profile(began_ns);
  reports_.begin(run_);
}

void ReportRun::begin_profile(std::uint64_t now_ns) {
  profile_ = std::make_shared<Profile>();
  profile_->run = run_;
  profile_->began_ns = now_ns;
  profile_->began_unix_ns = now_ns + unix_offset_ns();
}

void ReportRun::consume() {
  source_.consume(timeline_, *profile_);
  relieve();
}

void ReportRun::relieve() {
  if (source_.wants_drain()) source_.drain(timeline_, *profile_, false);
  source_.make_room(timeline_, *profile_);
}

// Only moves what the kernel has counted: to collect it would split what is under way.
bool ReportRun::name_leaving() {
  source_.drain(timeline_, *profile_, false);
  symboliser_.name_leaving(*profile_);
  return true;
}

void ReportRun::work_ahead(const std::function<bool()>& may_go_on) {
  if (watching_.any()) return;  // it is done for who looks on
  source_.drain(timeline_, *profile_, false);
  symboliser_.name_ready(*profile_, may_go_on);
}

// What is sampled from here on belongs to what follows, however long naming and writing take.
void ReportRun::take(std::optional<std::uint64_t> ended_ns) {
  const bool stopped = ended_ns.has_value();
  // Who looks on may have been shown something after the end.
  const std::uint64_t now_ns = taken_ns_ = std::max(ended_ns.value_or(monotonic_ns()), profile_->began_ns);
  source_.collect(timeline_, *profile_, stopped);
  profile_->duration_ns = now_ns - profile_->began_ns;
  symboliser_.name(*profile_);
  if (source_.has_tracing_frames()) remove_tracing_frames(*profile_);
  append_wakers(*profile_);
  keep_believable_stacks(*profile_);
  account_ += profile_->account;
  frame_report_.add(*profile_);
  if (!stopped) timeline_.forget_before(now_ns);
}

void ReportRun::pass_on() {
  const std::shared_ptr<const Profile> shown = std::exchange(profile_, nullptr);
  begin_profile(taken_ns_);
  watching_.add(shown, account_, source_.cost());
  if (!reports_.any_open()) return;
  if (!since_report_) {
    since_report_ = std::make_unique<Profile>();
    since_report_->run = run_;
    since_report_->apart = apart_;
  }
  since_report_->merge(*shown);
}

void ReportRun::show() {
  take(std::nullopt);
  pass_on();
  give_memory_back();
}

void ReportRun::give_memory_back() {
  if (taken_ns_ - gave_back_ns_ < give_back_every_ns) return;
  gave_back_ns_ = taken_ns_;
  ::malloc_trim(0);
}

void ReportRun::report(std::optional<std::uint64_t> ended_ns) {
  take(ended_ns);
  // The terminal may have been given back by now.
  if (watching_.any() || since_report_) {
    pass_on();
    if (since_report_) reports_.report(*since_report_);
    since_report_.reset();
  } else {
    reports_.report(*profile_);
    begin_profile(taken_ns_);
  }
}

void ReportRun::report_interval() {
  report(std::nullopt);
  give_memory_back();
}

void ReportRun::finish(std::uint64_t ended_ns) {
  report(ended_ns);
  reports_.close();
}

std::uint64_t ReportRun::samples() const {
  return account_.taken + profile_->account.taken + source_.pending_samples();
}

std::uint64_t ReportRun::rows() const { return profile_->rows().size() + source_.pending_rows(); }

}  // namespace profile
