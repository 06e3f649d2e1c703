#include "app/report_run.h"

#include <malloc.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "app/kernel_frames.h"
#include "model/stack_roots.h"
#include "support/clock.h"
#include "web/view.h"

namespace profile {
namespace {

// The pause between two reads of the ring buffer. Without it every record may wake the reader, ten thousand times a
// second.
constexpr double rest_s = 0.002;
// Naming and writing leave holes in the heap. A long run gives them back this often.
constexpr std::uint64_t give_back_every_ns = 30'000'000'000;

}  // namespace

ReportRun::ReportRun(RunInfo run, std::vector<ProfileSink*> sinks, Source& source, ProcessTimeline& timeline,
                     Symboliser& symboliser)
    : SampleConsumer(std::move(run), source, timeline, symboliser), sinks_(std::move(sinks)) {
  begin_profile(monotonic_ns());
}

void ReportRun::watch(EventLoop& loop) {
  Timer& rest = loop.add_timer(0, 0, [this] { await_samples_(); });
  await_samples_ = loop.add_once(source_.poll_fd(), [this, &rest] {
    consume();
    rest.set(rest_s, 0);
  });
  for (ProfileSink* const sink : sinks_) sink->watch(loop);
  loop.add_timer(memory_s, memory_s, [this] { forget_unsampled(); });
  if (!any_live()) return;
  loop.add_timer(live_tick_s, live_tick_s, [this] {
    if (!any_live()) return;
    take(std::nullopt);
    pass_on();
    give_memory_back();
  });
}

void ReportRun::begin(std::uint64_t began_ns) {
  begin_profile(began_ns);
  for (ProfileSink* const sink : sinks_) sink->begin(run_);
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

// Uses drain() and not collect(), which would cut the spans under way.
bool ReportRun::name_expired() {
  source_.drain(timeline_, *profile_, false);
  symboliser_.name_expired(*profile_);
  return true;
}

void ReportRun::work_ahead(const std::function<bool()>& may_go_on) {
  if (any_live()) return;  // each second takes and names the samples
  source_.drain(timeline_, *profile_, false);
  symboliser_.name_ready(*profile_, may_go_on);
}

// A machine may run a million short processes in an hour, and most of them are never sampled.
void ReportRun::forget_unsampled() {
  if (any_live() || source_.names_ended_processes()) return;
  constexpr auto memory_ns = to_ns(memory_s);
  const std::uint64_t now_ns = monotonic_ns();
  source_.drain(timeline_, *profile_, false);
  std::unordered_set<std::uint32_t> sampled;
  for (const Process& process : profile_->processes()) sampled.insert(process.tgid);
  timeline_.forget_before(now_ns - memory_ns, sampled);
}

// Samples from here on belong to the next profile, however long naming and writing take.
void ReportRun::take(std::optional<std::uint64_t> ended_ns) {
  const bool stopped = ended_ns.has_value();
  // A live sink may have received a profile after the end.
  const std::uint64_t now_ns = taken_ns_ = std::max(ended_ns.value_or(monotonic_ns()), profile_->began_ns);
  source_.collect(timeline_, *profile_, stopped);
  profile_->duration_ns = now_ns - profile_->began_ns;
  symboliser_.name(*profile_);
  keep_shown_kernel_stacks(*profile_, source_.has_tracing_frames());
  append_wakers(*profile_);
  keep_believable_stacks(*profile_);
  if (run_.is_state) {
    account_.forget_recorded();
    frame_report_ = FrameReport();
  }
  account_ += profile_->account;
  frame_report_.add(*profile_);
  if (!stopped) timeline_.forget_before(now_ns);
}

void ReportRun::pass_on() {
  const std::shared_ptr<const Profile> finished = std::exchange(profile_, nullptr);
  begin_profile(taken_ns_);
  const RunStatus status{.account = account_, .cost = source_.cost()};
  for (ProfileSink* const sink : sinks_) sink->add(finished, status);
}

void ReportRun::give_memory_back() {
  if (taken_ns_ - gave_back_ns_ < give_back_every_ns) return;
  gave_back_ns_ = taken_ns_;
  ::malloc_trim(0);
}

void ReportRun::end_interval(std::optional<std::uint64_t> ended_ns) {
  take(ended_ns);
  pass_on();
  for (ProfileSink* const sink : sinks_) sink->end_interval();
}

void ReportRun::report_interval() {
  end_interval(std::nullopt);
  give_memory_back();
}

void ReportRun::finish(std::uint64_t ended_ns) {
  end_interval(ended_ns);
  for (ProfileSink* const sink : sinks_) sink->end();
}

}  // namespace profile
