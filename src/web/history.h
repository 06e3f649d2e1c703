// What the live page shows, for as long as a run lasts and in bounded memory: the ticks of the last minutes one by one,
// and everything since the start added up. Made into JSON here, as a whole and bit by bit.
//
// Its times, "t" of a tick (its end), "now_unix_ms" and "duration_s", go on as CLOCK_MONOTONIC does: setting the wall
// clock moves none. They are in Unix time by the wall clock as it stood when the run began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/profile.h"
#include "output/frame_report.h"
#include "output/json_writer.h"
#include "web/pruning.h"

namespace profile {

class LiveHistory {
 public:
  struct Limits {
    double window_s = 300;
    std::size_t window_cells = 2'000'000;  // the window is shorter when there are more
    // What is beyond one of these is folded, until half of each is free.
    std::size_t nodes = 400'000;
    std::size_t text_bytes = std::size_t{64} << 20;
    std::size_t owners = 25'000;
    std::size_t cells = 100'000;  // of the total
  };

  // `began_ns` and what else is in nanoseconds here is by CLOCK_MONOTONIC; with `unix_offset_ns` it is Unix time.
  LiveHistory(const RunInfo& run, std::uint64_t began_ns, std::uint64_t unix_offset_ns, const Limits& limits);

  // Adds a tick and returns its JSON text, for those who know all that was before it; empty when something was folded,
  // which has given the table new numbers, so that everybody needs a snapshot(). `account` is that of the run.
  std::string add(const Profile& profile, const Account& account);
  // The sum of what could not be added, which is told to those who look.
  void skip(std::uint64_t value) { skipped_ += value; }
  // The JSON text of all there is.
  [[nodiscard]] std::string snapshot(std::uint64_t now_ns) const;

  // Which numbers the table has. Not those of a run that was served at the same place before: its pages come back.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  [[nodiscard]] std::uint64_t folded_nodes() const { return folded_nodes_; }
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
  [[nodiscard]] const LiveState& state() const { return state_; }

 private:
  [[nodiscard]] std::uint64_t unix_ms(std::uint64_t ns) const;
  void forget_old_ticks();
  // Whether `state` takes no more than one of so many parts of each limit.
  [[nodiscard]] bool fits(const LiveState& state, std::size_t parts) const;
  void fold();
  [[nodiscard]] std::string tick_text(const LiveTick& tick, const FlameTable::Mark& from) const;
  void write_sums(JsonWriter& json) const;

  Limits limits_;
  std::uint64_t began_ns_;
  std::uint64_t unix_offset_ns_;
  Profile about_;  // the run and its account; it has no rows
  FrameReport names_;
  LiveState state_;
  std::size_t window_cells_ = 0;
  std::uint64_t epoch_;
  std::uint64_t folded_nodes_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace profile
