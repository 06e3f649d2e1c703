#include "app/stream_sink.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "app/options.h"
#include "support/clock.h"
#include "support/error.h"

namespace profile {
namespace {

// How many samples may wait for a slow reader, some megabytes. Usually they wait in the kernel's ring instead.
constexpr std::size_t most_waiting = 1 << 16;
// How long the last samples wait for a slow reader at the end.
constexpr double patience_s = 0.7;

}  // namespace

// It is of a run with one event.
std::vector<SinkRequest> request_stream(const ParsedOptions& /*parsed*/, const Options& options) {
  if (options.stream == nullptr) return {};
  const auto make = [](std::size_t /*event*/, const SinkNeeds& needs) {
    const Options& of_run = needs.options;
    return std::make_unique<StreamSink>(of_run.stream->make(of_run.output), of_run.stream_path, needs.say);
  };
  return {{.make = make, .name = "--stream"}};
}

void StreamSink::watch(EventLoop& loop) {
  // The reader has taken data, so writing can continue.
  loop.add(writer_->poll_fd(), [this] { write(); });
}

void StreamSink::begin(const RunInfo& run) {
  attempt([&] {
    form_->begin(writer_->buffer(), run);
    flush();
  });
}

void StreamSink::add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) {
  if (!is_open_) return;
  if (waiting_ != 0 && waiting_ + samples.size() > most_waiting) {
    lost_ += samples.size();
  } else if (!samples.empty()) {
    waiting_ += samples.size();
    batches_.push_back({.profile = profile, .samples = samples});
  }
  write();
}

void StreamSink::end() {
  attempt([this] { write_rest(); });
  lost_ += std::exchange(waiting_, 0);
  batches_.clear();
}

void StreamSink::attempt(const std::function<void()>& step) {
  if (!is_open_) return;
  try {
    step();
  } catch (const Error& error) {
    say_(std::string("profile: ") + error.what());
    is_open_ = false;
    has_failed_ = true;
  }
}

void StreamSink::write() {
  attempt([this] {
    // What the reader takes at once makes room for more, and nothing would call this again for that.
    do {
      append();
      flush();
    } while (waiting_ != 0 && is_open_ && !writer_->is_behind());
  });
}

void StreamSink::append() {
  while (!batches_.empty() && !writer_->is_behind()) {
    Batch& batch = batches_.front();
    if (texts_of_ != batch.profile) form_->forget();
    texts_of_ = batch.profile;
    for (; batch.written < batch.samples.size() && !writer_->is_behind(); ++batch.written, --waiting_) {
      form_->append(writer_->buffer(), *batch.profile, batch.samples[batch.written]);
      writer_->end_record();
    }
    if (batch.written == batch.samples.size()) batches_.pop_front();
  }
}

void StreamSink::flush() {
  if (writer_->flush() == StreamWriter::Result::closed_pipe) is_open_ = false;
}

// Waits for the reader for patience_s in total. Only waiting counts: time that writing takes loses no sample.
void StreamSink::write_rest() {
  double left_s = patience_s;
  for (append(); waiting_ != 0 && left_s > 0; append()) {
    flush();
    if (!is_open_) return;
    if (!writer_->is_behind()) continue;
    const std::uint64_t began_ns = monotonic_ns();
    pollfd reader{.fd = writer_->poll_fd(), .events = POLLIN, .revents = 0};
    ::poll(&reader, 1, static_cast<int>(left_s * 1e3));
    left_s -= to_seconds(monotonic_ns() - began_ns);
  }
  lost_ += writer_->finish(std::max(left_s, 0.0)).records;
}

}  // namespace profile
