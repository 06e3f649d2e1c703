// Whether a share of all time differs between two runs, or whether the difference may be chance. Time is divided into
// blocks, and how much the share varies from block to block tells how exact it is, also where samples come in bursts.
//
// The standard error is that of a bootstrap over blocks: runs like the measured one are made of its blocks, drawn with
// replacement, and their shares compared. It has a closed form, that of infinitely many draws, which takes no chance
// and is so fast that each stack can have its own. Neighbouring blocks are drawn together, as many as the
// autocorrelation of the series asks for (Politis and White 2004, with the correction of 2009, for circular blocks).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace profile {

// Of runs that have fewer blocks nothing is known.
inline constexpr std::size_t least_blocks = 8;
// Of shares that have fewer samples in both runs nothing is known.
inline constexpr double least_samples = 10;
// The share of false ones among the changes that are called sure.
inline constexpr double false_share = 0.05;

// The value of something in one block. A series has those that are not 0, in the order of the blocks.
struct BlockValue {
  std::uint32_t block = 0;
  float value = 0;
};
using BlockSeries = std::vector<BlockValue>;

struct BlockedRun {
  double block_s = 1;          // length of a block in seconds
  std::vector<double> wholes;  // by block: the value of all samples
  double whole = 0;            // their sum
  double mean_sample = 1;      // the mean value of a sample, above 0
};

struct ShareChange {
  double change = 0;  // of the share, between -1 and 1
  double error = 0;   // its standard error
  double freedom =
      0;  // degrees of freedom of the error; 0: nothing is known, because there are too few samples or blocks
  double block_s = 0;  // the length of the blocks that were drawn, in seconds; the longer one of both runs

  [[nodiscard]] bool is_known() const { return freedom > 0; }
  // The 95 % interval is change - margin() to change + margin().
  [[nodiscard]] double margin() const;
  // How probable it is that chance makes so large a change, in either direction.
  [[nodiscard]] double chance() const;
  // How probable so large a growth is if the true one is `least`.
  [[nodiscard]] double chance_above(double least) const;
};

[[nodiscard]] ShareChange share_change(const BlockedRun& run_before, const BlockSeries& before,
                                       const BlockedRun& run_after, const BlockSeries& after);

// The standard error of the share of a series when `length` neighbouring blocks are drawn together.
[[nodiscard]] double share_error(const BlockedRun& run, const BlockSeries& series, std::size_t length);

// Which of so many tests to believe, so that on the average at most `rate` of these are false (Benjamini and Hochberg).
[[nodiscard]] std::vector<bool> believable(std::span<const double> chances, double rate);

}  // namespace profile
