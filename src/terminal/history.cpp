#include "terminal/history.h"

#include "support/clock.h"

namespace profile {

std::size_t TopRecording::ticks_in(double window_s) const {
  // The times of ticks are not exact: nine tenths of a second count as one second.
  constexpr double nearly = 0.9;
  std::size_t count = 0;
  double sum_s = 0;
  for (auto tick = ticks().rbegin(); tick != ticks().rend() && sum_s < window_s - 1 + nearly; ++tick) {
    sum_s += tick->duration_s;
    ++count;
  }
  return count;
}

std::vector<FlameTable::Cell> TopRecording::last_cells(double window_s) const {
  std::vector<FlameTable::Cell> cells;
  for (std::size_t i = ticks().size() - ticks_in(window_s); i < ticks().size(); ++i) {
    cells.insert(cells.end(), ticks()[i].cells.begin(), ticks()[i].cells.end());
  }
  return cells;
}

void TopHistory::add(const Profile& profile) {
  live_.table.add(profile);
  live_.seconds += to_seconds(profile.duration_ns);
  if (profile.run.is_state) {
    live_.value = 0;
    live_.account.forget_recorded();
  }
  live_.value += profile.total();
  live_.account += profile.account;
}

}  // namespace profile
