// A run with reports or live views: takes the samples from the source, names them and hands each finished profile to
// all sinks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/profile_sink.h"
#include "app/sample_consumer.h"

namespace profile {

class ReportRun : public SampleConsumer {
 public:
  // The sinks must outlive it, too.
  ReportRun(RunInfo run, std::vector<ProfileSink*> sinks, Source& source, ProcessTimeline& timeline,
            Symboliser& symboliser);

  void watch(EventLoop& loop) override;
  void begin(std::uint64_t began_ns) override;
  void relieve() override;
  bool name_expired() override;
  void work_ahead(const std::function<bool()>& may_go_on) override;
  void report_interval() override;
  void finish(std::uint64_t ended_ns) override;
  [[nodiscard]] bool is_wanted() const override { return std::ranges::any_of(sinks_, &ProfileSink::is_open); }
  [[nodiscard]] bool has_failed() const override { return std::ranges::any_of(sinks_, &ProfileSink::has_failed); }
  [[nodiscard]] std::uint64_t rows() const override { return profile_->rows().size() + source_.pending_rows(); }

 private:
  void begin_profile(std::uint64_t now_ns);
  void consume();
  // Takes the samples since the last call. `ended_ns`: when the source stopped, for the last call; otherwise nullopt.
  void take(std::optional<std::uint64_t> ended_ns);
  // Hands the profile to all sinks and begins the next one.
  void pass_on();
  void forget_unsampled();
  void give_memory_back();
  void end_interval(std::optional<std::uint64_t> ended_ns);
  [[nodiscard]] bool any_live() const { return std::ranges::any_of(sinks_, &ProfileSink::is_live); }

  std::vector<ProfileSink*> sinks_;
  std::uint64_t taken_ns_ = 0;      // CLOCK_MONOTONIC: when the last part ended
  std::uint64_t gave_back_ns_ = 0;  // CLOCK_MONOTONIC: when memory was last given back
  std::function<void()> await_samples_;
};

}  // namespace profile
