#include "web/history.h"

#include <malloc.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "output/flame/data.h"
#include "support/clock.h"
#include "web/view.h"

namespace profile {
namespace {

constexpr double ms_per_s = 1e3;
constexpr std::uint64_t ns_per_ms = 1'000'000;

// Stacks and owners below this share of the total are folded first. If that is not enough, the share grows tenfold each
// time, and from `large_share` on also the oldest ticks are dropped.
constexpr double small_share = 1e-5;
constexpr double large_share = 1e-2;

// The JSON object whose members `write` writes, on one line without a line end.
template <class Write>
std::string object_text(const Write& write) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object();
  write(json);
  json.end_object();
  json.end_document();
  std::string text = std::move(out).str();
  text.pop_back();
  return text;
}

void write_tick(JsonWriter& json, const LiveTick& tick) {
  json.member("t", tick.end_unix_ms);
  json.member("d", tick.duration_s);
  write_flame_cells(json, "cells", tick.cells);
}

}  // namespace

LiveHistory::LiveHistory(const RunInfo& run, std::uint64_t began_ns, std::uint64_t unix_offset_ns, const Limits& limits)
    : limits_(limits), began_ns_(began_ns), unix_offset_ns_(unix_offset_ns), epoch_(unix_ms(began_ns)) {
  about_.run = run;
  about_.began_unix_ns = began_ns + unix_offset_ns;
}

std::string LiveHistory::add(const Profile& profile, const Account& account) {
  const FlameTable::Mark from = state_.table.mark();
  about_.account = account;
  names_.add(profile);
  const std::uint64_t end_ns = profile.began_ns + profile.duration_ns;
  about_.duration_ns = end_ns > began_ns_ ? end_ns - began_ns_ : 0;
  LiveTick& tick = state_.ticks.emplace_back(LiveTick{.end_unix_ms = unix_ms(end_ns),
                                                      .duration_s = to_seconds(profile.duration_ns),
                                                      .cells = state_.table.add(profile)});
  state_.count_texts(from.strings);
  for (const FlameTable::Cell& cell : tick.cells) state_.add_to_total(cell);
  window_cells_ += tick.cells.size();
  forget_old_ticks();
  if (fits(state_, 1)) return tick_text(state_.ticks.back(), from);
  fold();
  return {};
}

std::uint64_t LiveHistory::unix_ms(std::uint64_t ns) const { return (ns + unix_offset_ns_) / ns_per_ms; }

void LiveHistory::forget_old_ticks() {
  const auto is_too_old = [this](const LiveTick& tick) {
    const double age_s =
        (static_cast<double>(state_.ticks.back().end_unix_ms) - static_cast<double>(tick.end_unix_ms)) / ms_per_s;
    return age_s >= limits_.window_s || window_cells_ > limits_.window_cells;
  };
  while (state_.ticks.size() > 1 && is_too_old(state_.ticks.front())) {
    window_cells_ -= state_.ticks.front().cells.size();
    state_.ticks.pop_front();
  }
}

bool LiveHistory::fits(const LiveState& state, std::size_t parts) const {
  return state.table.nodes().size() <= limits_.nodes / parts && state.text_bytes <= limits_.text_bytes / parts &&
         state.table.owners().size() <= limits_.owners / parts && state.total.size() <= limits_.cells / parts;
}

void LiveHistory::fold() {
  const auto total = static_cast<double>(
      std::accumulate(state_.total.begin(), state_.total.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const FlameTable::Cell& cell) { return sum + cell.value; }));
  const std::size_t nodes = state_.table.nodes().size();
  LiveKeep keep{.ticks = state_.ticks.size(),
                .names = limits_.owners / 8,
                .most_nodes = limits_.nodes / 2,
                .most_owners = limits_.owners / 4};
  for (double share = small_share;;) {
    keep.least = static_cast<std::uint64_t>(share * total) + 1;
    std::optional<LiveState> next = pruned(state_, keep);
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
  ++epoch_;
  window_cells_ = 0;
  for (const LiveTick& tick : state_.ticks) window_cells_ += tick.cells.size();
  ::malloc_trim(0);  // return the freed pieces to the system; they are not needed again for a long time
}

// Writes the members that change from tick to tick and are not in the table.
void LiveHistory::write_sums(JsonWriter& json) const {
  write_flame_account(json, about_.account);
  write_flame_names(json, names_);
  json.member("folded", folded_nodes_);
  json.member("skipped", skipped_);
}

std::string LiveHistory::tick_text(const LiveTick& tick, const FlameTable::Mark& from) const {
  return object_text([&](JsonWriter& json) {
    json.member("epoch", epoch_);
    write_sums(json);
    write_flame_table(json, state_.table, from);
    write_tick(json, tick);
  });
}

std::string LiveHistory::snapshot(std::uint64_t now_ns) const {
  return object_text([&](JsonWriter& json) {
    json.member("epoch", epoch_);
    json.member("now_unix_ms", unix_ms(now_ns));
    json.member("tick_s", live_tick_s);
    json.member("window_s", limits_.window_s);
    write_flame_run(json, about_);
    write_sums(json);
    write_flame_table(json, state_.table, {});
    write_flame_cells(json, "total", state_.total);
    json.begin_array("ticks");
    for (const LiveTick& tick : state_.ticks) {
      json.begin_object();
      write_tick(json, tick);
      json.end_object();
    }
    json.end_array();
  });
}

}  // namespace profile
