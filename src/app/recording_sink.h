// The sink of a recording: gives each sample to the module that writes the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/sink.h"
#include "recording/recording.h"

namespace profile {

class RecordingSink : public SampleSink {
 public:
  // `say` prints a line for the person.
  RecordingSink(std::string path, RecordingLimits limits, AskFacts facts, std::function<void(const std::string&)> say)
      : path_(std::move(path)), limits_(limits), facts_(std::move(facts)), say_(std::move(say)) {}

  // Makes the file.
  void prepare() override;
  void begin(const RunInfo& run) override;
  void watch(EventLoop& loop) override;
  void add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) override;
  void note_account(const Account& account, std::uint64_t until_ns) override;
  void end() override;
  [[nodiscard]] bool is_open() const override { return !has_failed_; }
  [[nodiscard]] bool has_failed() const override { return has_failed_; }
  [[nodiscard]] std::size_t behind() const override { return recorder_->behind(); }
  [[nodiscard]] std::uint64_t lost() const override { return recorder_->lost(); }
  [[nodiscard]] std::vector<std::string> answer() const override;

 private:
  void note_error();

  std::string path_;
  RecordingLimits limits_;
  AskFacts facts_;
  std::function<void(const std::string&)> say_;
  std::unique_ptr<Recorder> recorder_;  // set from prepare() on
  Account account_;
  std::uint64_t until_ns_ = 0;  // CLOCK_MONOTONIC: what the account is of
  bool has_failed_ = false;
};

}  // namespace profile
