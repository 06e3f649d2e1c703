// What the view of --top remembers of a run: the last minute by the second, and the whole run added up. It stays the
// same size for days: past a limit, what the minute does not need is left behind, and of the rest of the run functions
// and processes are kept, not stacks.
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

// Added up over all that was sampled, of a function or of a row of any other kind.
struct TopSum {
  std::uint64_t self = 0;   // with it at the leaf
  std::uint64_t total = 0;  // with it anywhere on the stack
};

// What was sampled in a second or so.
struct TopTick {
  double seconds = 0;
  std::uint64_t value = 0;    // in the unit of the run
  std::uint64_t samples = 0;  // that were recorded
  std::vector<FlameTable::Cell> cells;
};

// Of the run up to some moment. All indices are those of TopHistory::table().
struct TopRecording {
  std::deque<TopTick> ticks;  // of the last minute, the oldest first
  double seconds = 0;         // this and the next two since the start
  std::uint64_t value = 0;
  Account account;

  // Since stacks_began_s into the run: values by owner << 32 | node.
  std::unordered_map<std::uint64_t, std::uint64_t> stacks;
  double stacks_began_s = 0;
  // Of the time before that. The vectors may be shorter than the tables.
  std::vector<TopSum> functions;
  std::vector<std::uint64_t> processes;

  // How many of the newest ticks make up the last `window_s` seconds.
  [[nodiscard]] std::size_t ticks_in(double window_s) const;
  // What was sampled in them, or since stacks_began_s. A pair of owner and node may be there more than once.
  [[nodiscard]] std::vector<FlameTable::Cell> last_cells(double window_s) const;
  [[nodiscard]] std::vector<FlameTable::Cell> all_cells() const;
};

class TopHistory {
 public:
  struct Limits {
    std::size_t nodes = 200'000;       // of the table
    std::size_t stacks = 400'000;      // of a recording, by owner; also cells of the ticks
    std::size_t text_bytes = 1 << 26;  // of the table
    std::size_t functions = 50'000;    // kept of the time before stacks_began_s
    std::size_t processes = 20'000;
  };

  TopHistory() : TopHistory(Limits()) {}
  explicit TopHistory(const Limits& limits) : limits_(limits) {}

  void add(const Profile& profile);
  // While it is paused shown() stays as it is.
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
