#include "app/run.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "app/summary.h"
#include "output/nothing_recorded.h"
#include "support/clock.h"
#include "support/plural.h"

namespace profile {
namespace {

// The pause between two reads of the ring buffer. Without it every record may wake the reader, ten thousand times a
// second.
constexpr double pause_s = 0.002;
// Times that are due closer together than this are one.
constexpr double least_wait_s = 0.001;
// Where each sample is wanted, the ring buffer is read this often. Each reading costs as much as hundreds of samples.
constexpr double pump_s = 0.1;
// When the kernel says that a ring fills up, it is read after this time, because more will come.
constexpr double soon_s = 0.02;
// Without rows nothing keeps a profile together: when it has more distinct stacks than this (some megabytes), it is
// dropped and a fresh one begins.
constexpr std::size_t most_stacks = 8192;
// How many samples may wait for a slow reader. They are read ahead so that the files that contain their code can be
// closed.
constexpr std::size_t most_behind = 1 << 14;
// Facts about ended processes that no sample needs are forgotten after this time, so that a run of hours does not grow.
// Samples in the kernel, or that wait to be named, are younger.
constexpr double memory_s = 30;
// Naming and writing leave holes in the heap. A long run gives them back this often.
constexpr std::uint64_t give_back_every_ns = 30'000'000'000;

// Gives the processes their command lines, which may come after the first sample of a program. A main thread has the
// name of its process, so it gets the line, too.
void name_programs(Profile& profile, ProcessTimeline& timeline) {
  timeline.update();
  std::vector<std::string> comms;
  for (std::size_t i = 0; i < profile.processes().size(); ++i) {
    Process& process = profile.process(static_cast<ProcessId>(i));
    const std::string_view comm = timeline.comm_of(process.tgid, process.image);
    const std::string_view line = timeline.name_of(process.tgid, process.image);
    comms.emplace_back(line != comm ? comm : std::string_view());
    if (line != comm) process.name = profile.strings.intern(line);
  }
  profile.change_rows([&](Row& row) {
    const std::string& comm = comms[static_cast<std::size_t>(row.process)];
    if (!comm.empty() && profile.strings.view(row.thread_name) == comm) {
      row.thread_name = profile.process(row.process).name;
    }
  });
}

}  // namespace

Run::Run(RunInfo run, const Sinks& sinks, Source& source, ProcessTimeline& timeline, Symboliser& symboliser)
    : run_(std::move(run)),
      sinks_(sinks),
      source_(source),
      timeline_(timeline),
      symboliser_(symboliser),
      edits_(source.has_tracing_frames()) {
  for (const auto& [sink, pace_s] : sinks.of_profiles) {
    receivers_.push_back({.sink = sink, .asked_pace_s = pace_s, .due_ns = 0, .part = {}, .sum = {}});
  }
  begin_profile(monotonic_ns());
  if (wants_samples()) source_.hand_to([this](const Sample& sample) { samples_.push_back(sample); });
}

void Run::watch(EventLoop& loop, std::function<bool()> is_over) {
  if (wants_samples()) {
    // A wake-up for every sample would cost more than all other work.
    loop.add_timer(pump_s, pump_s, [this] { pump(); });
    Timer& soon = loop.add_timer(0, 0, [this] {
      is_pump_due_ = false;
      pump();
    });
    loop.add_wakeups(source_.poll_fd(), [this, &soon] {
      if (!std::exchange(is_pump_due_, true)) soon.set(soon_s, 0);
    });
  } else {
    Timer& pause = loop.add_timer(0, 0, [this] { await_samples_(); });
    await_samples_ = loop.add_once(source_.poll_fd(), [this, &pause] {
      consume();
      pause.set(pause_s, 0);
    });
  }
  loop.add_timer(memory_s, memory_s, [this] { forget_unsampled(); });
  due_timer_ = &loop.add_timer(0, 0, [this, is_over = std::move(is_over)] {
    // At the end finish() passes on what is left. Doing it here, too, would add one more part.
    if (!is_over()) pass_on_due();
  });
}

void Run::begin(std::uint64_t began_ns, EventLoop& loop) {
  begin_profile(began_ns);
  for (const auto& sink : sinks_.all) {
    sink->begin(run_);
    sink->watch(loop);
  }
  for (Receiver& receiver : receivers_) receiver.due_ns = began_ns + to_ns(receiver.asked_pace_s.value_or(0));
  await_due();
}

void Run::await_due() {
  std::uint64_t first_ns = UINT64_MAX;
  for (const Receiver& receiver : receivers_) {
    if (receiver.pace_s()) first_ns = std::min(first_ns, receiver.due_ns);
  }
  if (first_ns == UINT64_MAX) return;
  const std::uint64_t now_ns = monotonic_ns();
  due_timer_->set(std::max(to_seconds(first_ns - std::min(first_ns, now_ns)), least_wait_s), 0);
}

void Run::pass_on_due() {
  take(std::nullopt);
  pass_on(false);
  timeline_.forget_before(taken_ns_);  // the sinks may ask about the processes
  give_memory_back();
  await_due();
}

bool Run::passes_on_within(double seconds) const {
  return std::ranges::any_of(receivers_, [seconds](const Receiver& receiver) {
    const auto pace_s = receiver.pace_s();
    return pace_s && *pace_s <= seconds;
  });
}

void Run::Receiver::keep(const std::shared_ptr<const Profile>& profile) {
  if (!sum && !part) {
    part = profile;
    return;
  }
  if (!sum) {
    sum = std::make_shared<Profile>();
    sum->run = profile->run;
    sum->merge(*std::exchange(part, nullptr));
  }
  sum->merge(*profile);
}

// A turn that was missed is left out: the times do not shift.
bool Run::Receiver::take_turn(std::uint64_t now_ns) {
  if (!asked_pace_s || now_ns < due_ns) return false;
  const std::uint64_t pace_ns = std::max<std::uint64_t>(to_ns(*asked_pace_s), 1);
  due_ns += ((now_ns - due_ns) / pace_ns + 1) * pace_ns;
  return true;
}

std::shared_ptr<const Profile> Run::Receiver::take() {
  if (sum) return std::exchange(sum, nullptr);
  return std::exchange(part, nullptr);
}

void Run::begin_profile(std::uint64_t now_ns) {
  profile_ = std::make_shared<Profile>();
  profile_->run = run_;
  profile_->began_ns = now_ns;
  profile_->began_unix_ns = now_ns + unix_offset_ns();
  edits_.forget();
}

void Run::consume() {
  source_.consume(timeline_, *profile_);
  relieve();
}

void Run::relieve() {
  if (source_.wants_drain()) source_.drain(timeline_, *profile_, false);
  source_.make_room(timeline_, *profile_);
  hand_samples(false);
}

void Run::pump() {
  // What is not read waits in the kernel's ring, and is counted there when it finds no room.
  if (!wants_rows() && behind() != 0) return;
  if (!wants_rows() && profile_->stack_count() > most_stacks) begin_samples_profile();
  consume();
}

void Run::begin_samples_profile() {
  hand_samples(true);
  report_counted();
  account_ += profile_->account;
  begin_profile(profile_->began_ns);
}

void Run::hand_samples(bool all) {
  if (samples_.empty()) return;
  if (named_ != samples_.size()) symboliser_.name(*profile_);
  for (; named_ != samples_.size(); ++named_) edits_.apply(*profile_, samples_[named_].row);
  // Samples of two CPUs may be in the ring in the wrong order, and some have waited for tables.
  std::ranges::stable_sort(samples_, {}, &Sample::time_ns);
  const std::uint64_t until_ns = all ? UINT64_MAX : source_.complete_until_ns();
  const auto end = std::ranges::lower_bound(samples_, until_ns, {}, &Sample::time_ns);
  ready_.assign(samples_.begin(), end);
  samples_.erase(samples_.begin(), end);
  named_ = samples_.size();
  for (SampleSink* const sink : sinks_.of_samples) {
    sink->add(profile_, ready_);
    sink->note_account(so_far(), monotonic_ns());
  }
  if (wants_rows()) return;
  for (const Sample& sample : ready_) {
    count(sample.row.user, &Row::user, sample.row.samples);
    count(sample.row.kernel, &Row::kernel, sample.row.samples);
  }
}

Account Run::so_far() const {
  Account account = account_;
  account += profile_->account;
  account += source_.pending_account();
  return account;
}

void Run::count(StackId stack, StackId Row::*part, std::uint64_t samples) {
  if (stack == StackId::none || stack == StackId::missed) return;
  const auto index = static_cast<std::size_t>(stack);
  if (index >= counted_.size()) counted_.resize(index + 1);
  counted_[index].*part = stack;
  counted_[index].samples += samples;
}

void Run::report_counted() {
  for (const Row& row : counted_) frame_report_.add(*profile_, row);
  counted_.clear();
}

// Uses drain() and not collect(), which would cut the spans under way.
bool Run::name_expired() {
  if (!wants_rows() && behind() > most_behind) return !is_wanted();
  if (wants_samples()) {
    source_.consume(timeline_, *profile_);
    hand_samples(false);
    return true;
  }
  source_.drain(timeline_, *profile_, false);
  symboliser_.name_expired(*profile_);
  return true;
}

void Run::work_ahead(const std::function<bool()>& may_go_on) {
  if (wants_samples() || passes_on_within(HUGE_VAL)) return;  // the samples are taken and named all the time
  source_.drain(timeline_, *profile_, false);
  symboliser_.name_ready(*profile_, may_go_on);
}

// A machine may run a million short processes in an hour, and most of them are never sampled.
void Run::forget_unsampled() {
  constexpr auto memory_ns = to_ns(memory_s);
  const std::uint64_t now_ns = monotonic_ns();
  if (!wants_rows()) {
    if (behind() == 0) timeline_.forget_before(now_ns - memory_ns);
    return;
  }
  if (passes_on_within(memory_s) || source_.names_ended_processes()) return;
  source_.drain(timeline_, *profile_, false);
  std::unordered_set<std::uint32_t> sampled;
  for (const Process& process : profile_->processes()) sampled.insert(process.tgid);
  timeline_.forget_before(now_ns - memory_ns, sampled);
}

// Samples from here on belong to the next profile, however long naming and writing take.
void Run::take(std::optional<std::uint64_t> ended_ns) {
  const bool stopped = ended_ns.has_value();
  // A live sink may have received a profile after the end.
  const std::uint64_t now_ns = taken_ns_ = std::max(ended_ns.value_or(monotonic_ns()), profile_->began_ns);
  source_.collect(timeline_, *profile_, stopped);
  profile_->duration_ns = now_ns - profile_->began_ns;
  if (timeline_.has_command_lines()) name_programs(*profile_, timeline_);
  symboliser_.name(*profile_);
  symboliser_.name_data(*profile_);
  hand_samples(true);
  report_counted();
  edits_.apply(*profile_);
  if (run_.is_state) {
    account_.forget_recorded();
    frame_report_ = FrameReport();
  }
  account_ += profile_->account;
  frame_report_.add(*profile_);
  if (stopped) profile_->notes = left_out();
}

std::vector<std::string> Run::left_out() {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  if (std::string filtered = what_was_filtered(run_, account_); !filtered.empty()) lines.push_back(std::move(filtered));
  add(losses_of(account_, source_.lost_with_full_maps()));
  add(source_.notes());
  add(notes_of(timeline_.status()));
  return lines;
}

void Run::pass_on(bool is_last) {
  const std::shared_ptr<const Profile> finished = std::exchange(profile_, nullptr);
  begin_profile(taken_ns_);
  const RunStatus status{.account = account_, .cost = source_.cost()};
  for (Receiver& receiver : receivers_) {
    if (!receiver.sink->wants_more()) continue;
    receiver.keep(finished);
    const bool is_due = receiver.take_turn(taken_ns_ + to_ns(least_wait_s));
    if (is_due || is_last) receiver.sink->add(receiver.take(), status);
  }
}

void Run::give_memory_back() {
  if (taken_ns_ - gave_back_ns_ < give_back_every_ns) return;
  gave_back_ns_ = taken_ns_;
  ::malloc_trim(0);
}

void Run::finish(std::uint64_t ended_ns) {
  take(ended_ns);
  pass_on(true);
  for (SampleSink* const sink : sinks_.of_samples) sink->note_account(account_, ended_ns);
  for (const auto& sink : sinks_.all) sink->end();
  if (wants_rows()) return;
  const std::uint64_t lost = std::min(account_.recorded, unwritten());
  account_.recorded -= lost;
  account_.lost_unwritten += lost;
}

bool Run::is_wanted() const {
  return std::ranges::any_of(sinks_.all, [](const auto& sink) { return sink->is_open(); });
}

bool Run::has_failed() const {
  return std::ranges::any_of(sinks_.all, [](const auto& sink) { return sink->has_failed(); });
}

std::uint64_t Run::samples() const { return account_.taken + profile_->account.taken + source_.pending_samples(); }

std::uint64_t Run::rows() const { return wants_rows() ? profile_->rows().size() + source_.pending_rows() : 0; }

std::vector<std::string> Run::notes() const {
  std::vector<std::string> lines = frame_report_.lines();
  const std::uint64_t lost = wants_rows() ? unwritten() : 0;
  if (lost != 0)
    lines.push_back(number_of(lost, "sample") + plural(lost, " is", " are") +
                    " missing in the stream, whose reader was too slow");
  return lines;
}

std::size_t Run::behind() const {
  std::size_t most = 0;
  for (const SampleSink* const sink : sinks_.of_samples) most = std::max(most, sink->is_open() ? sink->behind() : 0);
  return most;
}

std::uint64_t Run::unwritten() const {
  std::uint64_t most = 0;
  for (const SampleSink* const sink : sinks_.of_samples) most = std::max(most, sink->lost());
  return most;
}

}  // namespace profile
