#include "app/streaming.h"

#include <poll.h>

#include <algorithm>

#include "app/tracing_frames.h"
#include "support/clock.h"

namespace profile {
namespace {

// Distinct stacks after which what is kept of them is dropped and begun anew: some megabytes.
constexpr std::size_t most_stacks = 8192;
// How long the last samples wait for a reader that does not read.
constexpr double patience_s = 1.0;

}  // namespace

Streaming::Streaming(const Options& options, Source& source, ProcessTimeline& timeline, Symboliser& symboliser)
    : source_(source),
      timeline_(timeline),
      symboliser_(symboliser),
      form_(options.stream->make()),
      writer_(options.outputs.front().path) {
  source_.recorder().stream_to([this](const Sample& sample) { batch_.push_back(sample); });
}

void Streaming::begin(const RunInfo& run) {
  run_ = run;
  fresh_profile();
  form_->begin(writer_.buffer(), run);
  writer_.flush();
}

bool Streaming::pump() {
  if (appended_ == batch_.size() && !writer_.is_behind()) {
    batch_.clear();
    appended_ = 0;
    if (profile_->stack_count() > most_stacks) fresh_profile();
    source_.recorder().consume(timeline_, *profile_);
    name_batch(0);
  }
  append_named();
  return writer_.flush() != StreamWriter::Result::closed_pipe;
}

// Those from `first` on, which are put in the order of time: samples of two CPUs may have come into the ring buffer the
// other way round.
void Streaming::name_batch(std::size_t first) {
  if (first == batch_.size()) return;
  const auto begin = batch_.begin() + static_cast<std::ptrdiff_t>(first);
  symboliser_.name(*profile_);
  if (source_.has_tracing_frames()) {
    std::for_each(begin, batch_.end(),
                  [this](Sample& sample) { sample.row.kernel = without_tracing_frames(*profile_, sample.row.kernel); });
  }
  std::stable_sort(begin, batch_.end(), [](const Sample& a, const Sample& b) { return a.unix_ns < b.unix_ns; });
}

void Streaming::append_named() {
  for (; appended_ < batch_.size() && !writer_.is_behind(); ++appended_) {
    form_->append(writer_.buffer(), *profile_, batch_[appended_]);
    writer_.end_record();
  }
}

void Streaming::fresh_profile() {
  profile_ = std::make_unique<Profile>();
  profile_->run = run_;
  form_->forget();
}

void Streaming::finish(bool is_read) {
  const std::uint64_t deadline_ns = monotonic_ns() + static_cast<std::uint64_t>(patience_s * 1e9);
  const auto seconds_left = [deadline_ns] {
    const std::uint64_t now_ns = monotonic_ns();
    return now_ns >= deadline_ns ? 0.0 : static_cast<double>(deadline_ns - now_ns) / 1e9;
  };
  const std::size_t before = batch_.size();
  source_.collect(timeline_, *profile_, true);
  account_ = profile_->account;
  const auto lose = [this](std::uint64_t records) {
    account_.recorded -= std::min(account_.recorded, records);
    account_.lost_unwritten += records;
  };
  if (!is_read) {
    lose(batch_.size() - appended_);
    return;
  }
  name_batch(before);
  for (append_named(); appended_ < batch_.size() && seconds_left() > 0; append_named()) {
    if (writer_.flush() == StreamWriter::Result::closed_pipe) break;
    pollfd reader{.fd = writer_.poll_fd(), .events = POLLIN, .revents = 0};
    ::poll(&reader, 1, static_cast<int>(seconds_left() * 1e3));
  }
  lose(batch_.size() - appended_);
  lose(writer_.finish(seconds_left()).records);
}

}  // namespace profile
