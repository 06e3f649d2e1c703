// What the view of --top remembers of a run: the last minute second by second, and the sum of the whole run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/profile.h"
#include "terminal/table.h"

namespace profile {

// The run up to some moment.
struct TopRecording {
  explicit TopRecording(const FlameHistory::Limits& limits) : table(limits) {}

  TopTable table;
  // The next three are since the start of the run.
  double seconds = 0;
  std::uint64_t value = 0;
  Account account;

  [[nodiscard]] const std::deque<FlameHistory::Tick>& ticks() const { return table.history().ticks(); }
  // The number of newest ticks that make up the last `window_s` seconds.
  [[nodiscard]] std::size_t ticks_in(double window_s) const;
  // The cells of these ticks. A pair of owner and node can occur more than once.
  [[nodiscard]] std::vector<FlameTable::Cell> last_cells(double window_s) const;
};

class TopHistory {
 public:
  // Profiles come each second, and with -i also in between; a tick is about a second.
  static constexpr FlameHistory::Limits default_limits{
      .window_s = 60, .tick_s = 1.25, .window_cells = 400'000, .nodes = 200'000, .owners = 20'000, .cells = 400'000};

  explicit TopHistory(const FlameHistory::Limits& limits = default_limits) : live_(limits) {}

  void add(const Profile& profile);
  // While it is paused, shown() does not change.
  void toggle_pause() { paused_ = paused_ ? std::nullopt : std::optional(live_); }
  [[nodiscard]] bool is_paused() const { return paused_.has_value(); }

  [[nodiscard]] const TopRecording& shown() const { return paused_ ? *paused_ : live_; }

 private:
  TopRecording live_;
  std::optional<TopRecording> paused_;
};

}  // namespace profile
