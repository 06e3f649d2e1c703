#include "terminal/history.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "support/clock.h"
#include "terminal/sums.h"

namespace profile {
namespace {

constexpr double kept_s = 60;
// Profiles come each second, and with -i also in between. Profiles that together last at most this long form one tick.
constexpr double longest_tick_s = 1.25;

using Cells = std::vector<FlameTable::Cell>;

std::uint64_t key_of(const FlameTable::Cell& cell) { return std::uint64_t{cell.owner} << 32 | cell.node; }

void add_to(TopRecording& recording, const Profile& profile, Cells cells) {
  const double seconds = to_seconds(profile.duration_ns);
  auto& ticks = recording.ticks;
  if (ticks.empty() || ticks.back().seconds + seconds > longest_tick_s) ticks.emplace_back();
  for (const FlameTable::Cell& cell : cells) {
    recording.stacks[key_of(cell)] += cell.value;
    recording.value += cell.value;
    ticks.back().value += cell.value;
  }
  ticks.back().seconds += seconds;
  ticks.back().samples += profile.account.recorded;
  ticks.back().cells.insert(ticks.back().cells.end(), cells.begin(), cells.end());
  recording.seconds += seconds;
  recording.account += profile.account;
}

// Drops ticks that are older than a minute, and the oldest ticks if there are too many cells.
void forget_oldest(std::deque<TopTick>& ticks, std::size_t most_cells) {
  double seconds = 0;
  std::size_t cells = 0;
  std::size_t keep = 0;
  for (auto tick = ticks.rbegin(); tick != ticks.rend() && seconds < kept_s; ++tick, ++keep) {
    cells += tick->cells.size();
    if (keep > 0 && cells > most_cells) break;
    seconds += tick->seconds;
  }
  ticks.erase(ticks.begin(), ticks.end() - static_cast<std::ptrdiff_t>(keep));
}

// The indices of the sums that are not 0, the largest sum first.
template <class Sums, class Size>
std::vector<std::size_t> largest_first(const Sums& sums, const Size& size) {
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t i) { return size(sums[i]) == 0; });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size(sums[a]) > size(sums[b]); });
  return order;
}

template <class Item>
Item& at(std::vector<Item>& items, std::size_t index) {
  if (items.size() <= index) items.resize(index + 1);
  return items[index];
}

TopSum& operator+=(TopSum& sum, const TopSum& other) {
  sum.self += other.self;
  sum.total += other.total;
  return sum;
}

// The sums of all functions in `recording`, by their indices in `to`. Functions beyond the limits are added up as one.
std::vector<TopSum> moved_functions(const TopRecording& recording, const TopTable& from, TopTable& to,
                                    const TopHistory::Limits& limits) {
  std::vector<TopSum> sums = function_sums(from, recording.all_cells());
  for (std::size_t i = 0; i < recording.functions.size(); ++i) sums[i] += recording.functions[i];
  std::vector<TopSum> moved;
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const std::size_t i : largest_first(sums, [](const TopSum& sum) { return sum.total; })) {
    const TopTable::Function& function = from.functions()[i];
    bytes += from.view(function.name).size();
    if (++count < limits.functions && bytes < limits.text_bytes / 4) {
      at(moved, to.function(from.view(function.name), from.view(function.module), function.kind)) += sums[i];
    } else {
      TopSum& rest = at(moved, to.function("[other functions]", "", FlameKind::unnamed));
      // Only self is added up: these functions may share stacks, so the sum of their totals would count samples twice.
      rest += {.self = sums[i].self, .total = sums[i].self};
    }
  }
  return moved;
}

std::vector<std::uint64_t> moved_processes(const TopRecording& recording, const TopTable& from, TopTable& to,
                                           const TopHistory::Limits& limits) {
  std::vector<std::uint64_t> sums = process_sums(from, recording.all_cells());
  for (std::size_t i = 0; i < recording.processes.size(); ++i) sums[i] += recording.processes[i];
  std::vector<std::uint64_t> moved;
  std::size_t count = 0;
  for (const std::size_t i : largest_first(sums, [](std::uint64_t value) { return value; })) {
    const TopTable::Process& process = from.processes()[i];
    const bool is_kept = ++count < limits.processes;
    at(moved, is_kept ? to.process(from.view(process.name), process.tgid) : to.process("[other processes]", 0)) +=
        sums[i];
  }
  return moved;
}

// Moves the ticks to the new table, the newest first, as long as it has room; at least one tick.
void move_ticks(TopRecording& recording, TopMove& move, const TopTable& to, const TopHistory::Limits& limits) {
  std::size_t kept = 0;
  for (auto tick = recording.ticks.rbegin(); tick != recording.ticks.rend(); ++tick, ++kept) {
    const bool has_room = to.nodes().size() < limits.nodes / 2 && to.text_bytes() < limits.text_bytes / 2;
    if (kept > 0 && !has_room) break;
    tick->cells = move.moved(tick->cells);
  }
  recording.ticks.erase(recording.ticks.begin(), recording.ticks.end() - static_cast<std::ptrdiff_t>(kept));
}

}  // namespace

std::size_t TopRecording::ticks_in(double window_s) const {
  // The times of ticks are not exact: nine tenths of a second count as one second.
  constexpr double nearly = 0.9;
  std::size_t count = 0;
  double sum_s = 0;
  for (auto tick = ticks.rbegin(); tick != ticks.rend() && sum_s < window_s - 1 + nearly; ++tick) {
    sum_s += tick->seconds;
    ++count;
  }
  return count;
}

Cells TopRecording::last_cells(double window_s) const {
  Cells cells;
  for (std::size_t i = ticks.size() - ticks_in(window_s); i < ticks.size(); ++i) {
    cells.insert(cells.end(), ticks[i].cells.begin(), ticks[i].cells.end());
  }
  return cells;
}

Cells TopRecording::all_cells() const {
  Cells cells;
  cells.reserve(stacks.size());
  for (const auto& [key, seen] : stacks) {
    cells.push_back({.owner = static_cast<TopTable::Index>(key >> 32),
                     .node = static_cast<TopTable::Index>(key & std::numeric_limits<std::uint32_t>::max()),
                     .value = seen});
  }
  return cells;
}

void TopHistory::add(const Profile& profile) {
  if (is_full()) renew();
  add_to(live_, profile, table_.add(profile));
  forget_oldest(live_.ticks, limits_.stacks);
}

bool TopHistory::is_full() const {
  return table_.nodes().size() > limits_.nodes || live_.stacks.size() > limits_.stacks ||
         table_.text_bytes() > limits_.text_bytes;
}

void TopHistory::renew() {
  TopTable fresh;
  TopMove move(table_, fresh);
  for (TopRecording* const recording : {&live_, paused_ ? &*paused_ : nullptr}) {
    if (recording == nullptr) continue;
    recording->functions = moved_functions(*recording, table_, fresh, limits_);
    recording->processes = moved_processes(*recording, table_, fresh, limits_);
    recording->stacks.clear();
    recording->stacks_began_s = recording->seconds;
    move_ticks(*recording, move, fresh, limits_);
  }
  table_ = std::move(fresh);
}

}  // namespace profile
