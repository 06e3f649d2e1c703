#include "app/recording_sink.h"

#include <utility>

#include "app/options.h"
#include "output/header.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/module.h"
#include "support/plural.h"

namespace profile {

std::vector<SinkRequest> request_recording(const ParsedOptions& /*parsed*/, const Options& options) {
  if (!options.is_recorded()) return {};
  const auto make = [](std::size_t event, const SinkNeeds& needs) {
    return std::make_unique<RecordingSink>(needs.recording, event);
  };
  return {{.make = make, .name = "a recording"}};
}

void SharedRecording::prepare() {
  try {
    recorder_ = load_module<RecordingModule>().make(path_, limits_);
  } catch (const Error&) {
    if (!path_.empty()) throw;
  }
}

void SharedRecording::save(double last_s, SavedRecording done) const {
  if (!recorder_) return done({});
  recorder_->save(last_s, std::move(done));
}

void SharedRecording::begin(std::size_t event, const RunInfo& run) {
  events_[event] = {.run = run, .headline = header_title(run)};
  if (++begun_ == events_.size() && recorder_) recorder_->begin(events_, monotonic_ns(), facts_);
}

void SharedRecording::watch(EventLoop& loop) {
  if (!recorder_) return;
  loop.add_timer(recording_tick_s, recording_tick_s, [this] {
    recorder_->commit(accounts_);
    note_error();
  });
}

void SharedRecording::add(std::size_t event, const std::shared_ptr<const Profile>& profile,
                          const std::vector<Sample>& samples) {
  if (is_open()) recorder_->add(event, profile, samples);
}

void SharedRecording::note_account(std::size_t event, const Account& account, std::uint64_t until_ns) {
  accounts_[event] = account;
  until_ns_ = until_ns;
}

void SharedRecording::end() {
  if (++ended_ != events_.size() || !recorder_) return;
  recorder_->finish(accounts_, until_ns_);
  note_error();
}

void SharedRecording::note_error() {
  const auto why = recorder_->error();
  if (!why || has_failed_) return;
  has_failed_ = true;
  if (path_.empty()) {
    say_("profile: nothing more is kept for the page to save: " + *why);
  } else {
    say_("profile: cannot write " + *why + "; what was recorded before is there");
  }
}

std::vector<std::string> SharedRecording::answer() const {
  std::vector<std::string> lines;
  if (path_.empty()) return lines;
  if (const std::uint64_t removed = recorder_->removed(); removed != 0) {
    lines.push_back(path_ + " has reached its limit: its oldest " + number_of(removed, "sample") +
                    plural(removed, " was", " were") + " removed");
  }
  if (!has_failed_) lines.push_back("wrote " + path_ + ", profile report " + path_ + " shows it");
  return lines;
}

}  // namespace profile
