// The data of the live page: the ticks of the last minutes one by one, and the sum since the start. Its memory is
// limited however long a run lasts. It makes the JSON texts: a whole snapshot, and one text per tick.
//
// Its times ("t" of a tick, which is its end, "now_unix_ms" and "duration_s") follow CLOCK_MONOTONIC, so setting the
// wall clock does not move them. They are in Unix time, by the wall clock at the begin of the run.
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
    // When one of these limits is exceeded, the state is folded (see pruning.h) until it needs at most half of each.
    std::size_t nodes = 400'000;
    std::size_t text_bytes = std::size_t{64} << 20;
    std::size_t owners = 25'000;
    std::size_t cells = 100'000;  // of the total
  };

  // `began_ns` and all other times in nanoseconds here are by CLOCK_MONOTONIC; adding `unix_offset_ns` gives Unix time.
  LiveHistory(const RunInfo& run, std::uint64_t began_ns, std::uint64_t unix_offset_ns, const Limits& limits);

  // Adds a tick and returns its JSON text, for clients that have all earlier texts. The text is empty if the state was
  // folded: the table then has new indices, so every client needs a snapshot(). `account` is the account of the run.
  std::string add(const Profile& profile, const Account& account);
  // Counts the value of a profile that could not be added. The page shows the sum.
  void skip(std::uint64_t value) { skipped_ += value; }
  // The JSON text of the whole state.
  [[nodiscard]] std::string snapshot(std::uint64_t now_ns) const;

  // The version of the table's indices. It differs from the versions of an earlier run at the same address, because
  // pages of that run may connect again.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  [[nodiscard]] std::uint64_t folded_nodes() const { return folded_nodes_; }
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
  [[nodiscard]] const LiveState& state() const { return state_; }

 private:
  [[nodiscard]] std::uint64_t unix_ms(std::uint64_t ns) const;
  void forget_old_ticks();
  // Whether `state` needs at most 1/`parts` of each limit.
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
