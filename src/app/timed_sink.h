// The sink of an output whose format needs the time of each sample (output/timed.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/sink.h"
#include "app/timed_file.h"

namespace profile {

class TimedSink : public SampleSink {
 public:
  // `say` prints a line for the person.
  TimedSink(OutputRequest request, const OutputOptions& options, AskFacts facts,
            std::function<void(const std::string&)> say)
      : request_(std::move(request)), options_(options), facts_(std::move(facts)), say_(std::move(say)) {}

  // Opens the file.
  void prepare() override { file_.emplace(request_, options_); }
  void begin(const RunInfo& run) override;
  void add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) override;
  void note_account(const Account& /*account*/, std::uint64_t until_ns) override { until_ns_ = until_ns; }
  void end() override;
  [[nodiscard]] bool is_open() const override { return !has_failed_ && file_->is_open(); }
  [[nodiscard]] bool has_failed() const override { return has_failed_; }
  [[nodiscard]] std::uint64_t lost() const override { return lost_; }
  [[nodiscard]] std::vector<std::string> answer() const override;

 private:
  void attempt(const std::function<void()>& step);

  OutputRequest request_;
  OutputOptions options_;
  AskFacts facts_;
  std::function<void(const std::string&)> say_;
  std::optional<TimedFile> file_;  // set from prepare() on
  std::uint64_t until_ns_ = 0;     // CLOCK_MONOTONIC: the end of the run, when that is known
  std::uint64_t lost_ = 0;
  bool has_failed_ = false;
};

}  // namespace profile
