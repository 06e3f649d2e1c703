#include "app/timed_sink.h"

#include "support/clock.h"
#include "support/error.h"

namespace profile {

void TimedSink::begin(const RunInfo& run) {
  const std::uint64_t now_ns = monotonic_ns();
  attempt([&] {
    file_->begin({.events = {run},
                  .began_ns = now_ns,
                  .began_unix_ns = now_ns + unix_offset_ns(),
                  .program_began = [this](std::uint32_t tgid, std::uint32_t image) {
                    return facts_(tgid, image, false).began_ns;
                  }});
  });
}

void TimedSink::add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) {
  attempt([&] {
    for (const Sample& sample : samples) file_->add(profile, sample);
  });
  if (!is_open()) lost_ += samples.size();
}

void TimedSink::end() {
  attempt([this] { file_->end(until_ns_); });
}

void TimedSink::attempt(const std::function<void()>& step) {
  if (has_failed_) return;
  try {
    step();
  } catch (const Error& error) {
    say_(std::string("profile: ") + error.what());
    has_failed_ = true;
  }
}

std::vector<std::string> TimedSink::answer() const {
  const std::string line = has_failed_ ? "" : file_->answer();
  return line.empty() ? std::vector<std::string>() : std::vector{line};
}

}  // namespace profile
