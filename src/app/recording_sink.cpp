#include "app/recording_sink.h"

#include "output/header.h"
#include "support/clock.h"
#include "support/module.h"
#include "support/plural.h"

namespace profile {

void SharedRecording::prepare() { recorder_ = load_module<RecordingModule>().make(path_, limits_); }

void SharedRecording::begin(std::size_t event, const RunInfo& run) {
  events_[event] = {.run = run, .headline = title_of(run)};
  if (++begun_ == events_.size()) recorder_->begin(events_, monotonic_ns(), facts_);
}

void SharedRecording::watch(EventLoop& loop) {
  loop.add_timer(recording_tick_s, recording_tick_s, [this] {
    recorder_->commit(accounts_);
    note_error();
  });
}

void SharedRecording::add(std::size_t event, const std::shared_ptr<const Profile>& profile,
                          const std::vector<Sample>& samples) {
  if (!has_failed_) recorder_->add(event, profile, samples);
}

void SharedRecording::note_account(std::size_t event, const Account& account, std::uint64_t until_ns) {
  accounts_[event] = account;
  until_ns_ = until_ns;
}

void SharedRecording::end() {
  if (++ended_ != events_.size()) return;
  recorder_->finish(accounts_, until_ns_);
  note_error();
}

void SharedRecording::note_error() {
  const auto why = recorder_->error();
  if (!why || has_failed_) return;
  has_failed_ = true;
  say_("profile: cannot write " + *why + "; what was recorded before is there");
}

std::vector<std::string> SharedRecording::answer() const {
  std::vector<std::string> lines;
  if (const std::uint64_t removed = recorder_->removed(); removed != 0) {
    lines.push_back(path_ + " has reached its limit: its oldest " + number_of(removed, "sample") +
                    plural(removed, " was", " were") + " removed");
  }
  if (!has_failed_) lines.push_back("wrote " + path_ + ", profile report " + path_ + " shows it");
  return lines;
}

}  // namespace profile
