// Samples that are counted: read from the source, named, shown to who looks on, and kept until the next report.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/reports.h"
#include "app/sample_consumer.h"
#include "app/watching.h"
#include "output/frame_report.h"
#include "process/timeline.h"
#include "sampling/source.h"
#include "symbol/symboliser.h"

namespace profile {

class ReportRun : public SampleConsumer {
 public:
  // What it is made of must outlive it. `run` goes into each report. `apart` is what reports are asked to tell apart:
  // who looks on may be shown more.
  ReportRun(RunInfo run, Reports& reports, Source& source, ProcessTimeline& timeline, Symboliser& symboliser,
            Watching& watching, RowsApart apart);

  void watch(EventLoop& loop) override;
  void begin(std::uint64_t began_ns) override;
  void relieve() override;
  bool name_leaving() override;
  void work_ahead(const std::function<bool()>& may_go_on) override;
  void report_interval() override;
  void finish(std::uint64_t ended_ns) override;
  [[nodiscard]] bool is_wanted() const override { return reports_.any_open() || watching_.any(); }
  [[nodiscard]] bool has_failed() const override { return reports_.have_failed(); }
  [[nodiscard]] std::uint64_t samples() const override;
  [[nodiscard]] std::uint64_t rows() const override;
  [[nodiscard]] const Account& account() const override { return account_; }
  [[nodiscard]] std::vector<std::string> notes() const override { return frame_report_.lines(); }

 private:
  void begin_profile(std::uint64_t now_ns);
  void consume();
  // Takes what was sampled since the last time. `ended_ns`: when the source stopped, and this is the last; or none.
  void take(std::optional<std::uint64_t> ended_ns);
  // Shows it to who looks on, and keeps it for the next report.
  void pass_on();
  void show();
  void give_memory_back();
  // Writes what was sampled since the last report.
  void report(std::optional<std::uint64_t> ended_ns);

  RunInfo run_;
  Reports& reports_;
  Source& source_;
  ProcessTimeline& timeline_;
  Symboliser& symboliser_;
  Watching& watching_;
  RowsApart apart_;
  std::shared_ptr<Profile> profile_;       // since the last report, or since it was last shown
  std::uint64_t taken_ns_ = 0;             // when the last part ended, by CLOCK_MONOTONIC, as the next
  std::uint64_t gave_back_ns_ = 0;         // when memory was given back, likewise
  std::unique_ptr<Profile> since_report_;  // all that was shown since the last report; none: nothing was
  Account account_;
  FrameReport frame_report_;
};

}  // namespace profile
