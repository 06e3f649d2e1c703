// The changes between two recordings whose rows are kept apart by blocks of time (Row::block), with their intervals: of
// each function and of each box of a flame graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/string_table.h"
#include "output/flame/comparison.h"
#include "output/flame/share_change.h"
#include "output/flame/table.h"

namespace profile {

// What the cells do not tell of a run in blocks.
struct RunBlocks {
  double block_s = 1;      // the length of a block in seconds
  double mean_sample = 1;  // the mean value of a sample, above 0
};
struct ComparedBlocks {
  RunBlocks before;
  RunBlocks after;
};

// `is_sure`: it is not by chance; of all changes that are called so, 5 % are false on the average.
struct BoxChange {
  ShareChange share;
  bool is_sure = false;
};
struct FunctionChange {
  ShareChange self;
  ShareChange total;
  bool is_self_sure = false;
  bool is_total_sure = false;
  [[nodiscard]] bool is_sure() const { return is_self_sure || is_total_sure; }
};

struct GrownFunction {
  std::size_t function = 0;  // in FlameChanges::functions()
  bool is_self = false;      // `share` is of self; otherwise of total
  ShareChange share;
};

class FlameChanges {
 public:
  enum class Of : std::uint8_t { functions, functions_and_boxes };

  // Keeps nothing of `flames`, whose blocks must not be joined yet.
  FlameChanges(const FlameComparison& flames, const ComparedBlocks& blocks, Of of);

  // By FlameTable::frames(); behind the last one, the change of stacks without frames.
  [[nodiscard]] const std::vector<FunctionChange>& functions() const { return functions_; }
  // nullptr: too few samples. `node`: none for the process itself.
  [[nodiscard]] const BoxChange* box(StringId process, FlameTable::Index node) const;
  // Those that have surely grown by more than `share`, by themselves or else in total; the largest growth first.
  [[nodiscard]] std::vector<GrownFunction> grown_above(double share) const;

  // The fewest blocks of both runs. With fewer than least_blocks nothing is known.
  [[nodiscard]] std::size_t fewest_blocks() const { return fewest_blocks_; }
  [[nodiscard]] bool is_too_short() const { return fewest_blocks_ < least_blocks; }
  // How long a block is: some samples must be in it.
  [[nodiscard]] double block_s() const { return block_s_; }
  // "blocks of 1 s, for some functions of 4 s"
  [[nodiscard]] std::string blocks_text() const;

 private:
  class Making;

  std::vector<FunctionChange> functions_;
  std::unordered_map<std::uint64_t, BoxChange> boxes_;  // key: process << 32 | node
  std::size_t fewest_blocks_ = 0;
  double block_s_ = 0;
};

}  // namespace profile
