// Tests whether a change is told from chance, with made samples whose truth is known. The generator has a fixed seed,
// so the same samples are made each time.
#include "output/flame/share_change.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using namespace profile;

namespace {

constexpr int samples_a_second = 2 * 99;  // of two CPUs

// A run of functions with fixed weights. Samples are independent; in bursts, most belong to the first ten functions.
struct Program {
  std::vector<double> weights;
  double burst_s = 0;  // mean length of a burst; 0: none
  double pause_s = 0;  // mean time between two
};

struct Run {
  BlockedRun time;
  std::vector<BlockSeries> functions;
};

class Machine {
 public:
  Run run(const Program& program, int seconds, int rate = samples_a_second) {
    std::discrete_distribution<std::size_t> function(program.weights.begin(), program.weights.end());
    Run made{.time = {}, .functions = std::vector<BlockSeries>(program.weights.size())};
    double next_s = program.burst_s == 0 ? HUGE_VAL : span(program.pause_s);
    bool is_burst = false;
    for (int second = 0; second < seconds; ++second) {
      std::vector<float> counts(program.weights.size());
      for (int i = 0; i < rate; ++i) {
        while (second + static_cast<double>(i) / rate >= next_s) {
          is_burst = !is_burst;
          next_s += span(is_burst ? program.burst_s : program.pause_s);
        }
        ++counts[is_burst && uniform_(random_) < 0.9 ? static_cast<std::size_t>(10 * uniform_(random_))
                                                     : function(random_)];
      }
      add_block(made, counts);
    }
    return made;
  }

  // Each function is called in turn, and a call takes long against the time between two samples, so that it gets about
  // as many samples each time.
  Run run_in_turns(const std::vector<double>& lengths_s, int seconds) {
    Run made{.time = {}, .functions = std::vector<BlockSeries>(lengths_s.size())};
    std::size_t function = 0;
    double end_s = uniform_(random_) * lengths_s[0];
    for (int second = 0; second < seconds; ++second) {
      std::vector<float> counts(lengths_s.size());
      for (int i = 0; i < samples_a_second; ++i) {
        while (second + static_cast<double>(i) / samples_a_second >= end_s) {
          function = (function + 1) % lengths_s.size();
          end_s += lengths_s[function] * (0.97 + 0.06 * uniform_(random_));
        }
        ++counts[function];
      }
      add_block(made, counts);
    }
    return made;
  }

  double span(double mean) { return -std::log(1 - uniform_(random_)) * mean; }
  std::size_t below(std::size_t limit) {
    return static_cast<std::size_t>(uniform_(random_) * static_cast<double>(limit));
  }

 private:
  static void add_block(Run& run, const std::vector<float>& counts) {
    const auto block = static_cast<std::uint32_t>(run.time.wholes.size());
    double whole = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) run.functions[i].push_back({.block = block, .value = counts[i]});
      whole += counts[i];
    }
    run.time.wholes.push_back(whole);
    run.time.whole += whole;
  }

  std::mt19937_64 random_{47};
  std::uniform_real_distribution<double> uniform_;
};

std::vector<double> weights(std::size_t count) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(1 / static_cast<double>(i + 1));
  return all;
}

// A fifth of all time is in the first function, times `factor`; the rest is in many others.
std::vector<double> with_first(std::vector<double> others, double factor) {
  double sum = 0;
  for (const double weight : others) sum += weight;
  others.insert(others.begin(), sum / 4 * factor);
  return others;
}

std::vector<ShareChange> changes(const Run& before, const Run& after) {
  std::vector<ShareChange> all;
  for (std::size_t i = 0; i < before.functions.size(); ++i) {
    all.push_back(share_change(before.time, before.functions[i], after.time, after.functions[i]));
  }
  return all;
}

std::vector<bool> sure(const std::vector<ShareChange>& all) {
  std::vector<double> chances;
  for (const ShareChange& change : all) chances.push_back(change.chance());
  return believable(chances, false_share);
}

// Of many pairs of runs: the part of the functions that are called changed, and of those whose interval lacks 0.
struct Called {
  double changed = 0;
  double outside = 0;
};
Called called(const Program& program, int seconds) {
  Machine machine;
  constexpr int pairs = 25;
  double functions = 0;
  Called sum;
  for (int i = 0; i < pairs; ++i) {
    const std::vector<ShareChange> all = changes(machine.run(program, seconds), machine.run(program, seconds));
    const std::vector<bool> is_sure = sure(all);
    for (std::size_t f = 0; f < all.size(); ++f) {
      if (!all[f].is_known()) continue;
      ++functions;
      sum.changed += is_sure[f] ? 1 : 0;
      sum.outside += std::abs(all[f].change) > all[f].margin() ? 1 : 0;
    }
  }
  return {.changed = sum.changed / functions, .outside = sum.outside / functions};
}

// In how many of ten pairs of runs the first function is surely another.
int found_first(Machine& machine, const Program& before, const Program& after, int rate) {
  int found = 0;
  for (int i = 0; i < 10; ++i) {
    found += sure(changes(machine.run(before, 60, rate), machine.run(after, 60, rate)))[0] ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_CASE("two runs of one program have hardly a changed function, also with bursts") {
  const std::vector<double> functions = weights(100);
  const Called steady = called({.weights = functions}, 60);
  CHECK(steady.changed <= 0.005);
  CHECK(steady.outside >= 0.02);  // an interval of 95 %
  CHECK(steady.outside <= 0.07);
  CHECK(called({.weights = functions}, 10).outside <= 0.07);
  CHECK(called({.weights = functions, .burst_s = 0.3, .pause_s = 2}, 60).changed <= 0.02);
  CHECK(called({.weights = functions, .burst_s = 1, .pause_s = 4}, 60).changed <= 0.03);
  CHECK(called({.weights = functions, .burst_s = 3, .pause_s = 8}, 60).changed <= 0.05);
  CHECK(called({.weights = functions, .burst_s = 6, .pause_s = 12}, 60).changed <= 0.05);
}

TEST_CASE("bursts are seen in the autocorrelation, and longer blocks are drawn") {
  Machine machine;
  const Program bursts{.weights = weights(20), .burst_s = 6, .pause_s = 12};
  const std::vector<ShareChange> all = changes(machine.run(bursts, 250), machine.run(bursts, 250));
  CHECK(all[5].block_s >= 4);
  const std::vector<ShareChange> steady =
      changes(machine.run({.weights = weights(20)}, 250), machine.run({.weights = weights(20)}, 250));
  CHECK(std::ranges::count_if(steady, [](const ShareChange& change) { return change.block_s == 1; }) >= 12);
}

// The standard deviation of a share is sqrt(0.2 * 0.8 / 11,880) in a minute at 99 Hz on two CPUs, if the samples are
// independent: a change of 3 % of the function is less than one standard deviation of the difference.
TEST_CASE("a change is found among many functions where the samples can tell it") {
  Machine machine;
  const Program before{.weights = with_first(weights(100), 1)};
  CHECK(found_first(machine, before, {.weights = with_first(weights(100), 1.2)}, samples_a_second) >= 7);
  CHECK(found_first(machine, before, {.weights = with_first(weights(100), 1.05)}, 10 * samples_a_second) >= 7);
}

// By the interval of the function itself, without regard to the others.
TEST_CASE("3 % of a fifth are found at 99 Hz in a minute where calls are longer than the time between samples") {
  Machine machine;
  std::vector<double> lengths_s{0.016};
  for (int i = 0; i < 8; ++i) lengths_s.push_back(0.008);
  std::vector<double> slower_s = lengths_s;
  slower_s[0] *= 1.03;
  int found = 0;
  for (int i = 0; i < 10; ++i) {
    const std::vector<ShareChange> all =
        changes(machine.run_in_turns(lengths_s, 60), machine.run_in_turns(slower_s, 60));
    found += all[0].change > all[0].margin() ? 1 : 0;
    CHECK(all[0].chance_above(0.02) > 0.5);
    const std::vector<ShareChange> same =
        changes(machine.run_in_turns(lengths_s, 60), machine.run_in_turns(lengths_s, 60));
    CHECK(!sure(same)[0]);
  }
  CHECK(found >= 6);
}

TEST_CASE("the error in closed form is that of drawing blocks") {
  Machine machine;
  const Run run = machine.run({.weights = weights(10), .burst_s = 3, .pause_s = 8}, 60);
  const std::size_t blocks = run.time.wholes.size();
  const BlockSeries& series = run.functions[3];
  std::vector<double> values(blocks);
  for (const BlockValue& one : series) values[one.block] = one.value;
  for (const std::size_t length : {1, 4}) {
    double sum = 0;
    double squares = 0;
    constexpr int runs = 4000;
    for (int i = 0; i < runs; ++i) {
      double value = 0;
      double whole = 0;
      for (std::size_t draw = 0; draw < blocks / length; ++draw) {
        const std::size_t first = machine.below(blocks);
        for (std::size_t k = 0; k < length; ++k) {
          value += values[(first + k) % blocks];
          whole += run.time.wholes[(first + k) % blocks];
        }
      }
      sum += value / whole;
      squares += value / whole * (value / whole);
    }
    const double draws = static_cast<double>(blocks) / static_cast<double>(length);
    const double drawn = std::sqrt((squares - sum * sum / runs) / runs * draws / (draws - 1));
    CHECK(share_error(run.time, series, length) == doctest::Approx(drawn).epsilon(0.06));
  }
}

TEST_CASE("nothing is known of few samples or few blocks") {
  Machine machine;
  const Program program{.weights = {1, 1}};
  CHECK(!changes(machine.run(program, least_blocks - 1), machine.run(program, 60))[0].is_known());
  CHECK(changes(machine.run(program, least_blocks), machine.run(program, 60))[0].is_known());
  const Run run = machine.run(program, 60);
  const BlockSeries four{{.block = 3, .value = 4}};
  const BlockSeries five{{.block = 7, .value = 5}};
  const ShareChange unknown = share_change(run.time, four, run.time, five);
  CHECK(!unknown.is_known());
  CHECK(unknown.change == doctest::Approx(1 / run.time.whole));
  CHECK(unknown.chance() == 1);
  CHECK(unknown.chance_above(0) == 1);
  // All in one block: it may be one event.
  const ShareChange one_block = share_change(run.time, {}, run.time, {{.block = 3, .value = 1000}});
  CHECK(one_block.is_known());
  CHECK(one_block.change < one_block.margin());
  CHECK(!share_change({}, {}, {}, {}).is_known());
}

TEST_CASE("what is the same has no change, and what is all of one run has a sure one") {
  Machine machine;
  const Run run = machine.run({.weights = {1, 1}}, 20);
  const ShareChange same = share_change(run.time, run.functions[0], run.time, run.functions[0]);
  CHECK(same.change == 0);
  CHECK(same.chance() == doctest::Approx(1));
  CHECK(same.margin() > 0);
  BlockSeries all;
  for (std::uint32_t block = 0; block < 20; ++block) all.push_back({.block = block, .value = samples_a_second});
  const ShareChange whole = share_change(run.time, {}, run.time, all);
  CHECK(whole.change == doctest::Approx(1));
  CHECK(whole.chance() < 1e-9);
  CHECK(whole.chance_above(0.5) < 1e-9);
}

TEST_CASE("tests are believed by the rule of Benjamini and Hochberg") {
  CHECK(believable(std::vector<double>{}, 0.05).empty());
  // The bounds are 0.01, 0.02, 0.03, 0.04 and 0.05.
  CHECK(believable(std::vector{0.5, 0.005, 0.035, 0.021, 0.9}, 0.05) == std::vector{false, true, false, false, false});
  CHECK(believable(std::vector{0.5, 0.005, 0.029, 0.021, 0.9}, 0.05) == std::vector{false, true, true, true, false});
}
