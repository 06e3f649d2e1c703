// The data of the live page as JSON texts: a whole snapshot, and one text per tick.
//
// Its times ("t" of a tick, which is its end, "now_unix_ms" and "duration_s") follow CLOCK_MONOTONIC, so setting the
// wall clock does not move them. They are in Unix time, by the wall clock at the begin of the run.
#pragma once

#include <cstdint>
#include <string>

#include "live/history.h"
#include "model/profile.h"
#include "output/frame_report.h"
#include "output/json_writer.h"

namespace profile {

class LiveHistory {
 public:
  // `began_ns` and all other times in nanoseconds here are by CLOCK_MONOTONIC; adding `unix_offset_ns` gives Unix time.
  LiveHistory(const RunInfo& run, std::uint64_t began_ns, std::uint64_t unix_offset_ns,
              const FlameHistory::Limits& limits);

  // Adds a tick and returns its JSON text, for clients that have all earlier texts. The text is empty if the state was
  // folded: the table then has new indices, so every client needs a snapshot(). `account` is the account of the run.
  std::string add(const Profile& profile, const Account& account);
  // Counts the value of a profile that could not be added. The page shows the sum.
  void skip(std::uint64_t value) { skipped_ += value; }
  // The JSON text of the whole state.
  [[nodiscard]] std::string snapshot(std::uint64_t now_ns) const;

  // The version of the table's indices. It differs from the versions of an earlier run at the same address, because
  // pages of that run may connect again.
  [[nodiscard]] std::uint64_t table_version() const { return table_version_; }
  [[nodiscard]] const FlameHistory& stacks() const { return stacks_; }

 private:
  [[nodiscard]] std::uint64_t unix_ms(std::uint64_t ns) const;
  void write_tick(JsonWriter& json, const FlameHistory::Tick& tick) const;
  void write_sums(JsonWriter& json) const;

  double window_s_;
  std::uint64_t began_ns_;
  std::uint64_t unix_offset_ns_;
  Profile about_;  // the run and its account; it has no rows
  FrameReport names_;
  FlameHistory stacks_;
  std::uint64_t table_version_;
  std::uint64_t skipped_ = 0;
};

}  // namespace profile
