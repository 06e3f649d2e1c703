// What a run has collected: read from the source, named, shown to who looks on, and kept until the next report.
#pragma once

#include <cstdint>
#include <memory>

#include "app/frame_report.h"
#include "app/reports.h"
#include "app/watching.h"
#include "process/timeline.h"
#include "sampling/source.h"
#include "symbol/symboliser.h"

namespace profile {

class Collection {
 public:
  // What it is made of must outlive it. `run` goes into each report.
  Collection(RunInfo run, Source& source, ProcessTimeline& timeline, Symboliser& symboliser, Watching& watching);

  // Reads what the kernel has sent whole, so that there is room for more.
  void consume();
  void relieve_if_filling();
  // Takes what was sampled since the last time and shows it to who looks on; `reports` will want it, too.
  void show(const Reports& reports);
  // Writes what was sampled since the last report. `stopped`: the source was, and this is the last.
  void report(Reports& reports, bool stopped);

  // Of all that was taken.
  [[nodiscard]] const Account& account() const { return account_; }
  [[nodiscard]] const FrameReport& frame_report() const { return frame_report_; }
  // Not only of that, but also of what waits to be.
  [[nodiscard]] std::uint64_t samples() const;
  [[nodiscard]] std::uint64_t rows() const;

 private:
  void begin(std::uint64_t now_ns);
  void take(bool stopped);
  void pass_on(const Reports& reports);

  RunInfo run_;
  Source& source_;
  ProcessTimeline& timeline_;
  Symboliser& symboliser_;
  Watching& watching_;
  std::shared_ptr<Profile> profile_;       // since the last report, or since it was last shown
  std::uint64_t taken_ns_ = 0;             // when the last part ended, by CLOCK_MONOTONIC, as the next
  std::uint64_t began_ns_ = 0;             // when profile_ began
  std::unique_ptr<Profile> since_report_;  // all that was shown since the last report; none: nothing was
  Account account_;
  FrameReport frame_report_;
};

}  // namespace profile
