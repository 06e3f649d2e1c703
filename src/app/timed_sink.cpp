#include "app/timed_sink.h"

#include "app/options.h"
#include "app/output_options.h"
#include "app/parsed_options.h"
#include "support/clock.h"
#include "support/error.h"

namespace profile {

std::vector<SinkRequest> request_timed(const ParsedOptions& parsed, const Options& options) {
  std::vector<SinkRequest> requests;
  for (const OutputRequest& output : options.timed_outputs) {
    const auto make = [output](std::size_t event, const SinkNeeds& needs) {
      const std::vector<EventOptions>& events = needs.options.events;
      OutputRequest of_event = output;
      if (events.size() > 1) of_event.path = path_of_event(output.path, events[event].name);
      return std::make_unique<TimedSink>(std::move(of_event), needs.options.output, needs.facts, needs.say);
    };
    const std::string name =
        "the format " + std::string(output.format->name) + ", which has each sample of each thread";
    for (const char* const option : {"live", "merge-processes"}) {
      if (parsed.is_on(option)) throw usage_error("--" + std::string(option) + " cannot be combined with " + name);
    }
    requests.push_back({.make = make, .name = name});
  }
  return requests;
}

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
