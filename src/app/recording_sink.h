// The sinks of a recording: one for each event of the run, and the module that writes the database for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/sink.h"
#include "recording/recording.h"

namespace profile {

// What the sinks of one recording share. Each event has an index. Without a path it is the page's, in memory; where the
// module cannot be loaded then, nothing is recorded.
class SharedRecording {
 public:
  // `say` prints a line for the person.
  SharedRecording(std::string path, RecordingLimits limits, std::size_t events, AskFacts facts,
                  std::function<void(const std::string&)> say)
      : path_(std::move(path)),
        limits_(limits),
        facts_(std::move(facts)),
        say_(std::move(say)),
        events_(events),
        accounts_(events) {}

  void prepare();
  // As SampleRecorder::save().
  void save(double last_s, SavedRecording done) const;
  void begin(std::size_t event, const RunInfo& run);
  void watch(EventLoop& loop);
  void add(std::size_t event, const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples);
  void note_account(std::size_t event, const Account& account, std::uint64_t until_ns);
  // The file is complete after the last event's.
  void end();
  [[nodiscard]] bool is_open() const { return recorder_ && !has_failed_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] std::size_t behind() const { return recorder_->behind(); }
  [[nodiscard]] std::uint64_t lost() const { return recorder_ ? recorder_->lost() : 0; }
  [[nodiscard]] std::vector<std::string> answer() const;

 private:
  void note_error();

  std::string path_;
  RecordingLimits limits_;
  AskFacts facts_;
  std::function<void(const std::string&)> say_;
  std::vector<RecordedEvent> events_;
  std::vector<Account> accounts_;
  std::unique_ptr<SampleRecorder> recorder_;  // set from prepare() on, if something is recorded
  std::size_t begun_ = 0;                     // events
  std::size_t ended_ = 0;
  std::uint64_t until_ns_ = 0;  // CLOCK_MONOTONIC: what the accounts are of
  bool has_failed_ = false;
};

class RecordingSink : public SampleSink {
 public:
  RecordingSink(std::shared_ptr<SharedRecording> recording, std::size_t event)
      : recording_(std::move(recording)), event_(event) {}

  // Makes the file.
  void prepare() override {
    if (is_first()) recording_->prepare();
  }
  void begin(const RunInfo& run) override { recording_->begin(event_, run); }
  void watch(EventLoop& loop) override {
    if (is_first()) recording_->watch(loop);
  }
  void add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) override {
    recording_->add(event_, profile, samples);
  }
  void note_account(const Account& account, std::uint64_t until_ns) override {
    recording_->note_account(event_, account, until_ns);
  }
  void end() override { recording_->end(); }
  [[nodiscard]] bool is_open() const override { return recording_->is_open(); }
  [[nodiscard]] bool has_failed() const override { return recording_->has_failed(); }
  [[nodiscard]] std::size_t behind() const override { return recording_->behind(); }
  // It is not known which event lost them.
  [[nodiscard]] std::uint64_t lost() const override { return is_first() ? recording_->lost() : 0; }
  [[nodiscard]] std::vector<std::string> answer() const override {
    return is_first() ? recording_->answer() : std::vector<std::string>();
  }

 private:
  [[nodiscard]] bool is_first() const { return event_ == 0; }

  std::shared_ptr<SharedRecording> recording_;
  std::size_t event_;
};

}  // namespace profile
