#include "app/recording_sink.h"

#include "output/header.h"
#include "support/clock.h"
#include "support/module.h"
#include "support/plural.h"

namespace profile {

void RecordingSink::prepare() { recorder_ = load_module<RecordingModule>().make(path_, limits_); }

void RecordingSink::begin(const RunInfo& run) { recorder_->begin(run, title_of(run), facts_); }

void RecordingSink::watch(EventLoop& loop) {
  loop.add_timer(recording_tick_s, recording_tick_s, [this] {
    recorder_->commit(account_);
    note_error();
  });
}

void RecordingSink::add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) {
  if (!has_failed_) recorder_->add(profile, samples);
}

void RecordingSink::note_account(const Account& account, std::uint64_t until_ns) {
  account_ = account;
  until_ns_ = until_ns;
}

void RecordingSink::end() {
  recorder_->finish(account_, until_ns_);
  note_error();
}

void RecordingSink::note_error() {
  const auto why = recorder_->error();
  if (!why || has_failed_) return;
  has_failed_ = true;
  say_("profile: cannot write " + *why + "; what was recorded before is there");
}

std::vector<std::string> RecordingSink::answer() const {
  std::vector<std::string> lines;
  if (const std::uint64_t removed = recorder_->removed(); removed != 0) {
    lines.push_back(path_ + " has reached its limit: its oldest " + number_of(removed, "sample") +
                    plural(removed, " was", " were") + " removed");
  }
  if (!has_failed_) lines.push_back("wrote " + path_ + ", profile report " + path_ + " shows it");
  return lines;
}

}  // namespace profile
