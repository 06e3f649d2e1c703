#include "output/flame/history.h"

#include <malloc.h>

#include <numeric>
#include <optional>
#include <utility>

#include "output/flame/pruning.h"
#include "support/clock.h"

namespace profile {
namespace {

// Stacks and owners below this share of the total are folded first. If that is not enough, the share grows tenfold each
// time, and from `large_share` on also the oldest ticks are dropped.
constexpr double small_share = 1e-5;
constexpr double large_share = 1e-2;

}  // namespace

bool FlameHistory::add(const Profile& profile) {
  const std::size_t strings = state_.table.strings().size();
  const std::vector<Cell> cells = state_.table.add(profile);
  const double duration_s = to_seconds(profile.duration_ns);
  auto& ticks = state_.ticks;
  const bool is_part = !ticks.empty() && limits_.tick_s > 0 && ticks.back().duration_s + duration_s <= limits_.tick_s;
  if (!is_part) ticks.emplace_back();
  Tick& tick = ticks.back();
  tick.end_ns = profile.began_ns + profile.duration_ns;
  tick.duration_s += duration_s;
  tick.samples += profile.account.recorded;
  for (const Cell& cell : cells) {
    tick.value += cell.value;
    state_.add_to_total(cell);
  }
  tick.cells.insert(tick.cells.end(), cells.begin(), cells.end());
  window_cells_ += cells.size();
  state_.count_texts(strings);
  forget_old_ticks();
  if (fits(state_, 1)) return true;
  fold();
  return false;
}

void FlameHistory::forget_old_ticks() {
  auto& ticks = state_.ticks;
  const auto is_too_old = [&](const Tick& tick) {
    const std::uint64_t end_ns = ticks.back().end_ns;
    const double age_s = end_ns > tick.end_ns ? to_seconds(end_ns - tick.end_ns) : 0;
    return age_s >= limits_.window_s || window_cells_ > limits_.window_cells;
  };
  while (ticks.size() > 1 && is_too_old(ticks.front())) {
    window_cells_ -= ticks.front().cells.size();
    ticks.pop_front();
  }
}

bool FlameHistory::fits(const State& state, std::size_t parts) const {
  return state.table.nodes().size() <= limits_.nodes / parts && state.text_bytes <= limits_.text_bytes / parts &&
         state.table.owners().size() <= limits_.owners / parts && state.total.size() <= limits_.cells / parts;
}

void FlameHistory::fold() {
  const auto total =
      static_cast<double>(std::accumulate(state_.total.begin(), state_.total.end(), std::uint64_t{0},
                                          [](std::uint64_t sum, const Cell& cell) { return sum + cell.value; }));
  const std::size_t nodes = state_.table.nodes().size();
  FlameKeep keep{.ticks = state_.ticks.size(),
                 .names = limits_.owners / 8,
                 .most_nodes = limits_.nodes / 2,
                 .most_owners = limits_.owners / 4};
  for (double share = small_share;;) {
    keep.least = static_cast<std::uint64_t>(share * total) + 1;
    std::optional<State> next = pruned(state_, keep);
    // Without ticks and with a share above 1, only the names of owners are left, and these are few.
    const bool is_least = keep.ticks == 0 && share > 1;
    if (next && (is_least || fits(*next, 2))) {
      state_ = std::move(*next);
      break;
    }
    if (share < large_share || keep.ticks == 0) {
      share *= 10;
    } else {
      keep.ticks /= 2;
    }
  }
  folded_nodes_ += nodes - state_.table.nodes().size();
  window_cells_ = 0;
  for (const Tick& tick : state_.ticks) window_cells_ += tick.cells.size();
  ::malloc_trim(0);  // return the freed pieces to the system; they are not needed again for a long time
}

}  // namespace profile
