// What the view of --top remembers of a run: the last minute second by second, and the sum of the whole run. Its size
// has a limit, so that a run can last for days. Beyond the limit only the stacks of the last minute are kept, and
// older time is kept as sums by function and process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/profile.h"
#include "terminal/table.h"

namespace profile {

// Sums of sampled values for a function, or for a row of another kind.
struct TopSum {
  std::uint64_t self = 0;   // of samples with the function at the leaf
  std::uint64_t total = 0;  // of samples with the function anywhere on the stack
};

// The samples of about one second.
struct TopTick {
  double seconds = 0;
  std::uint64_t value = 0;    // in the unit of the run
  std::uint64_t samples = 0;  // number of recorded samples
  std::vector<FlameTable::Cell> cells;
};

// The run up to some moment. All indices refer to TopHistory::table().
struct TopRecording {
  std::deque<TopTick> ticks;  // of the last minute, the oldest first
  double seconds = 0;         // since the start of the run
  std::uint64_t value = 0;    // since the start of the run
  Account account;            // since the start of the run

  // Values since stacks_began_s (seconds into the run). The key is owner << 32 | node.
  std::unordered_map<std::uint64_t, std::uint64_t> stacks;
  double stacks_began_s = 0;
  // Sums of the time before stacks_began_s. The vectors may be shorter than the tables.
  std::vector<TopSum> functions;
  std::vector<std::uint64_t> processes;

  // The number of newest ticks that make up the last `window_s` seconds.
  [[nodiscard]] std::size_t ticks_in(double window_s) const;
  // The cells of these ticks, or all cells since stacks_began_s. last_cells() may have a pair of owner and node more
  // than once.
  [[nodiscard]] std::vector<FlameTable::Cell> last_cells(double window_s) const;
  [[nodiscard]] std::vector<FlameTable::Cell> all_cells() const;
};

class TopHistory {
 public:
  struct Limits {
    std::size_t nodes = 200'000;       // of the table
    std::size_t stacks = 400'000;      // of a recording, by owner; also cells of the ticks
    std::size_t text_bytes = 1 << 26;  // of the table
    std::size_t functions = 50'000;    // kept for the time before stacks_began_s
    std::size_t processes = 20'000;    // kept for the time before stacks_began_s
  };

  TopHistory() : TopHistory(Limits()) {}
  explicit TopHistory(const Limits& limits) : limits_(limits) {}

  void add(const Profile& profile);
  // While it is paused, shown() does not change.
  void pause() { paused_ = live_; }
  void go_on() { paused_.reset(); }
  [[nodiscard]] bool is_paused() const { return paused_.has_value(); }

  [[nodiscard]] const TopTable& table() const { return table_; }
  [[nodiscard]] const TopRecording& shown() const { return paused_ ? *paused_ : live_; }

 private:
  [[nodiscard]] bool is_full() const;
  void renew();

  Limits limits_;
  TopTable table_;
  TopRecording live_;
  std::optional<TopRecording> paused_;
};

}  // namespace profile
