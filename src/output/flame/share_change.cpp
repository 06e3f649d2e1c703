#include "output/flame/share_change.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace profile {
namespace {

constexpr double confidence = 0.95;

double sum_of(const BlockSeries& series) {
  return std::accumulate(series.begin(), series.end(), 0.0,
                         [](double sum, const BlockValue& one) { return sum + one.value; });
}

// By block: how much more the series has than its share of the block's whole. These add up to 0.
std::vector<double> excess_of(const BlockedRun& run, const BlockSeries& series) {
  const double share = run.whole == 0 ? 0 : sum_of(series) / run.whole;
  std::vector<double> excess(run.wholes.size());
  std::ranges::transform(run.wholes, excess.begin(), [share](double all) { return -share * all; });
  for (const BlockValue& one : series) excess[one.block] += one.value;
  return excess;
}

double product_at(const std::vector<double>& excess, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < excess.size(); ++i) sum += excess[i] * excess[i - lag];
  return sum;
}

// How many neighbouring blocks belong together: the rule of Politis and White, whose names the constants follow.
std::size_t length_of_draws(const std::vector<double>& excess) {
  const auto n = static_cast<double>(excess.size());
  const std::size_t longest = std::max<std::size_t>(excess.size() / 4, 1);
  const auto quiet_lags = static_cast<std::size_t>(std::max(5.0, std::ceil(std::sqrt(std::log10(n)))));
  const std::size_t lags = std::min(excess.size() - 1, static_cast<std::size_t>(std::ceil(std::sqrt(n))) + quiet_lags);
  const double own = product_at(excess, 0);
  if (own <= 0) return 1;
  std::vector<double> products{own};
  const double bound = 2 * std::sqrt(std::log10(n) / n) * own;
  std::size_t last = 0;  // the last lag of the neighbours that depend on each other
  for (std::size_t lag = 1; lag <= lags && (lag <= last + quiet_lags); ++lag) {
    products.push_back(product_at(excess, lag));
    if (std::abs(products.back()) >= bound) last = lag;
  }
  if (last == 0) return 1;
  const std::size_t width = std::min(2 * last, lags);
  while (products.size() <= width) products.push_back(product_at(excess, products.size()));
  double spectrum = own;
  double slope = 0;
  for (std::size_t lag = 1; lag <= width; ++lag) {
    const double weight = std::min(1.0, 2 - 2 * static_cast<double>(lag) / static_cast<double>(width));
    spectrum += 2 * weight * products[lag];
    slope += 2 * weight * static_cast<double>(lag) * products[lag];
  }
  if (spectrum <= 0) return longest;
  // The rule is for the least error of the variance. Of few bursts that is too small; twice as long is nearer the
  // truth.
  const double length = 2 * std::cbrt(1.5 * slope * slope / (spectrum * spectrum) * n);
  return static_cast<std::size_t>(std::clamp(std::ceil(length), 1.0, static_cast<double>(longest)));
}

double draws_of(std::size_t blocks, std::size_t length) {
  return static_cast<double>(blocks) / static_cast<double>(length);
}

// The sum of `length` blocks from each block on, squared; behind the last block comes the first one.
double error_of(const std::vector<double>& excess, double whole, std::size_t length) {
  const std::size_t blocks = excess.size();
  const double draws = draws_of(blocks, length);
  if (whole == 0 || draws <= 1) return 0;
  double window = std::accumulate(excess.begin(), excess.begin() + static_cast<std::ptrdiff_t>(length), 0.0);
  double squares = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    squares += window * window;
    window += excess[(i + length) % blocks] - excess[i];
  }
  return std::sqrt(squares / static_cast<double>(length) * draws / (draws - 1)) / whole;
}

struct ShareError {
  double square = 0;
  double freedom = 1;
};

ShareError error_with_rounding(const std::vector<double>& excess, const BlockedRun& run, std::size_t length) {
  const double error = error_of(excess, run.whole, length);
  // No share is better known than to one sample, however regular the samples are.
  const double sample = run.mean_sample / run.whole;
  return {.square = error * error + sample * sample, .freedom = std::max(draws_of(excess.size(), length) - 1, 1.0)};
}

// Probability that Student's t with so many degrees of freedom is above `value`.
double beyond(double value, double freedom) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), value));
}

}  // namespace

double ShareChange::margin() const {
  if (!is_known()) return 0;
  return error * boost::math::quantile(boost::math::students_t(freedom), (1 + confidence) / 2);
}

double ShareChange::chance() const { return is_known() ? 2 * beyond(std::abs(change) / error, freedom) : 1; }

double ShareChange::chance_above(double least) const {
  return is_known() ? beyond((change - least) / error, freedom) : 1;
}

ShareChange share_change(const BlockedRun& run_before, const BlockSeries& before, const BlockedRun& run_after,
                         const BlockSeries& after) {
  const double whole_before = run_before.whole;
  const double whole_after = run_after.whole;
  const double sum_before = sum_of(before);
  const double sum_after = sum_of(after);
  ShareChange made;
  made.change = (whole_after == 0 ? 0 : sum_after / whole_after) - (whole_before == 0 ? 0 : sum_before / whole_before);
  const std::size_t fewest = std::min(run_before.wholes.size(), run_after.wholes.size());
  const double samples = sum_before / run_before.mean_sample + sum_after / run_after.mean_sample;
  if (fewest < least_blocks || samples < least_samples || whole_before == 0 || whole_after == 0) return made;

  // Both runs are of one kind, so what one shows of the dependence holds for the other too.
  const std::vector<double> excess_before = excess_of(run_before, before);
  const std::vector<double> excess_after = excess_of(run_after, after);
  const double length_s = std::max(static_cast<double>(length_of_draws(excess_before)) * run_before.block_s,
                                   static_cast<double>(length_of_draws(excess_after)) * run_after.block_s);
  const auto error_in = [&](const std::vector<double>& excess, const BlockedRun& run) {
    const auto length = static_cast<std::size_t>(std::ceil(length_s / run.block_s));
    return error_with_rounding(excess, run, std::clamp<std::size_t>(length, 1, excess.size() / 4));
  };
  const ShareError a = error_in(excess_before, run_before);
  const ShareError b = error_in(excess_after, run_after);
  const double square = a.square + b.square;
  made.error = std::sqrt(square);
  made.freedom = square * square / (a.square * a.square / a.freedom + b.square * b.square / b.freedom);  // Welch
  made.block_s = length_s;
  return made;
}

double share_error(const BlockedRun& run, const BlockSeries& series, std::size_t length) {
  return error_of(excess_of(run, series), run.whole, length);
}

std::vector<bool> believable(std::span<const double> chances, double rate) {
  std::vector<std::size_t> order(chances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return chances[i]; });
  std::size_t count = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (chances[order[i]] <= rate * static_cast<double>(i + 1) / static_cast<double>(order.size())) count = i + 1;
  }
  std::vector<bool> believed(chances.size());
  for (const std::size_t i : std::span(order).first(count)) believed[i] = true;
  return believed;
}

}  // namespace profile
