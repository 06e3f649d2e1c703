// A run with reports or live views: takes the samples from the source, names them and hands each finished profile to
// all sinks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/profile_sink.h"
#include "app/sample_consumer.h"
#include "output/frame_report.h"
#include "process/timeline.h"
#include "sampling/source.h"
#include "symbol/symboliser.h"

namespace profile {

class ReportRun : public SampleConsumer {
 public:
  // What it refers to must outlive it, the sinks included. `run` goes into each profile.
  ReportRun(RunInfo run, std::vector<ProfileSink*> sinks, Source& source, ProcessTimeline& timeline,
            Symboliser& symboliser);

  void watch(EventLoop& loop) override;
  void begin(std::uint64_t began_ns) override;
  void relieve() override;
  bool name_expired() override;
  void work_ahead(const std::function<bool()>& may_go_on) override;
  void report_interval() override;
  void finish(std::uint64_t ended_ns) override;
  [[nodiscard]] bool is_wanted() const override;
  [[nodiscard]] bool has_failed() const override;
  [[nodiscard]] std::uint64_t samples() const override;
  [[nodiscard]] std::uint64_t rows() const override;
  [[nodiscard]] const Account& account() const override { return account_; }
  [[nodiscard]] std::vector<std::string> notes() const override { return frame_report_.lines(); }

 private:
  void begin_profile(std::uint64_t now_ns);
  void consume();
  // Takes what was sampled since the last time. `ended_ns`: when the source stopped, and this is the last; or none.
  void take(std::optional<std::uint64_t> ended_ns);
  // Hands the profile to all sinks and begins the next one.
  void pass_on();
  void give_memory_back();
  void end_interval(std::optional<std::uint64_t> ended_ns);
  [[nodiscard]] bool any_live() const;

  RunInfo run_;
  std::vector<ProfileSink*> sinks_;
  Source& source_;
  ProcessTimeline& timeline_;
  Symboliser& symboliser_;
  std::shared_ptr<Profile> profile_;  // since pass_on()
  std::uint64_t taken_ns_ = 0;        // when the last part ended, by CLOCK_MONOTONIC, as the next
  std::uint64_t gave_back_ns_ = 0;    // when memory was given back, likewise
  std::function<void()> await_samples_;
  Account account_;
  FrameReport frame_report_;
};

}  // namespace profile
