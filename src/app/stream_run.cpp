#include "app/stream_run.h"

#include <poll.h>

#include <algorithm>

#include "app/kernel_frames.h"
#include "app/output_options.h"
#include "model/stack_roots.h"
#include "support/clock.h"
#include "support/error.h"

namespace profile {
namespace {

// When the profile has more distinct stacks than this (some megabytes), it is dropped and a fresh one begins.
constexpr std::size_t most_stacks = 8192;
// How many samples may wait for a slow reader. They are read ahead so that the files that contain their code can be
// closed.
constexpr std::size_t most_waiting = 1 << 14;
// The interval for reading the ring buffer, which holds the samples of a much longer time.
constexpr double pump_s = 0.02;
// How long the last samples wait for a slow reader at the end.
constexpr double patience_s = 0.7;

}  // namespace

StreamRun::StreamRun(const Options& options, RunInfo run, Source& source, ProcessTimeline& timeline,
                     Symboliser& symboliser, std::function<void(const std::string&)> say)
    : SampleConsumer(std::move(run), source, timeline, symboliser),
      say_(std::move(say)),
      form_(options.stream->make(options.output)),
      writer_(only_path_of(options.outputs.front())) {
  source_.stream_to([this](const Sample& sample) { batch_.push_back(sample); });
}

void StreamRun::watch(EventLoop& loop) {
  // Read by timer and not for every sample: a wake-up per sample would cost more than all other work.
  loop.add_timer(pump_s, pump_s, [this] { pump(); });
  // The reader has taken data, so writing can continue.
  loop.add(writer_.poll_fd(), [this] { pump(); });
  loop.add_timer(memory_s, memory_s, [this] {
    constexpr auto memory_ns = to_ns(memory_s);
    if (!writer_.is_behind()) timeline_.forget_before(monotonic_ns() - memory_ns);
  });
}

void StreamRun::attempt(const std::function<void()>& step) {
  if (is_over_) return;
  try {
    step();
  } catch (const Error& error) {
    say_(std::string("profile: ") + error.what());
    is_over_ = true;
    has_failed_ = true;
  }
}

void StreamRun::flush() {
  if (writer_.flush() == StreamWriter::Result::closed_pipe) is_over_ = true;
}

void StreamRun::begin(std::uint64_t /*began_ns*/) {
  fresh_profile();
  attempt([this] {
    form_->begin(writer_.buffer(), run_);
    flush();
  });
}

void StreamRun::pump() {
  attempt([this] {
    if (appended_ == batch_.size() && !writer_.is_behind()) {
      batch_.clear();
      appended_ = 0;
      if (profile_->stack_count() > most_stacks) fresh_profile();
      source_.consume(timeline_, *profile_);
      if (source_.wants_drain()) source_.drain(timeline_, *profile_, false);
      name_batch(0);
    }
    append_named();
    flush();
  });
}

void StreamRun::relieve() {
  attempt([this] {
    const std::size_t named = batch_.size();
    source_.make_room(timeline_, *profile_);
    name_batch(named);
  });
}

bool StreamRun::name_expired() {
  if (batch_.size() - appended_ > most_waiting) return is_over_;
  attempt([this] {
    const std::size_t named = batch_.size();
    source_.consume(timeline_, *profile_);
    name_batch(named);
  });
  return true;
}

// Names the samples from `first` on and sorts them by time: samples of two CPUs may be in the ring buffer in the wrong
// order.
void StreamRun::name_batch(std::size_t first) {
  if (first == batch_.size()) return;
  const auto begin = batch_.begin() + static_cast<std::ptrdiff_t>(first);
  symboliser_.name(*profile_);
  std::for_each(begin, batch_.end(), [this](Sample& sample) {
    sample.row.kernel = shown_kernel_stack(*profile_, sample.row.kernel, source_.has_tracing_frames());
    sample.row.user = believable_user_stack(*profile_, sample.row);
  });
  std::stable_sort(begin, batch_.end(), [](const Sample& a, const Sample& b) { return a.unix_ns < b.unix_ns; });
}

void StreamRun::append_named() {
  for (; appended_ < batch_.size() && !writer_.is_behind(); ++appended_) {
    const Row& row = batch_[appended_].row;
    form_->append(writer_.buffer(), *profile_, batch_[appended_]);
    writer_.end_record();
    count(row.user, &Row::user, row.samples);
    count(row.kernel, &Row::kernel, row.samples);
  }
}

void StreamRun::count(StackId stack, StackId Row::*part, std::uint64_t samples) {
  if (stack == StackId::none || stack == StackId::missed) return;
  const auto index = static_cast<std::size_t>(stack);
  if (index >= counted_.size()) counted_.resize(index + 1);
  counted_[index].*part = stack;
  counted_[index].samples += samples;
}

void StreamRun::report_counted() {
  for (const Row& row : counted_) frame_report_.add(*profile_, row);
  counted_.clear();
}

void StreamRun::fresh_profile() {
  if (profile_) {
    account_ += profile_->account;
    report_counted();
  }
  profile_ = std::make_shared<Profile>();
  profile_->run = run_;
  form_->forget();
}

void StreamRun::finish(std::uint64_t /*ended_ns*/) {
  const std::size_t named = batch_.size();
  source_.collect(timeline_, *profile_, true);
  account_ += profile_->account;
  attempt([&] {
    name_batch(named);
    append_rest();
  });
  lose(batch_.size() - appended_);
  report_counted();
}

// Waits for the reader for patience_s in total. Only waiting counts: time that naming and writing take loses no sample.
void StreamRun::append_rest() {
  double left_s = patience_s;
  for (append_named(); appended_ < batch_.size() && left_s > 0; append_named()) {
    flush();
    if (is_over_) return;
    if (!writer_.is_behind()) continue;
    const std::uint64_t began_ns = monotonic_ns();
    pollfd reader{.fd = writer_.poll_fd(), .events = POLLIN, .revents = 0};
    ::poll(&reader, 1, static_cast<int>(left_s * 1e3));
    left_s -= to_seconds(monotonic_ns() - began_ns);
  }
  lose(writer_.finish(std::max(left_s, 0.0)).records);
}

void StreamRun::lose(std::uint64_t records) {
  const std::uint64_t lost = std::min(account_.recorded, records);
  account_.recorded -= lost;
  account_.lost_unwritten += lost;
}

}  // namespace profile
