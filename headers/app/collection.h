// What a run has collected: read from the source, named, and kept until the next report.
#pragma once

#include <cstdint>
#include <memory>

#include "app/frame_report.h"
#include "app/reports.h"
#include "process/timeline.h"
#include "sampling/source.h"
#include "symbol/symboliser.h"

namespace profile {

class Collection {
 public:
  // What it is made of must outlive it. `run` goes into each report.
  Collection(RunInfo run, Source& source, ProcessTimeline& timeline, Symboliser& symboliser);

  // Reads what the kernel has sent whole, so that there is room for more.
  void consume();
  void relieve_if_filling();
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

  RunInfo run_;
  Source& source_;
  ProcessTimeline& timeline_;
  Symboliser& symboliser_;
  std::unique_ptr<Profile> profile_;  // since the last report
  std::uint64_t taken_ns_ = 0;        // when the last part ended, by CLOCK_MONOTONIC, as the next
  std::uint64_t began_ns_ = 0;        // when profile_ began
  Account account_;
  FrameReport frame_report_;
};

}  // namespace profile
