// Each function and each box is an item with one series for each run. Stacks that differ only in their block have the
// same items, so these are found once for each stack.
#include "output/flame/changes.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "output/text_table.h"

namespace profile {
namespace {

using Cells = std::vector<FlameTable::Cell>;

std::uint64_t key_of(StringId process, FlameTable::Index node) {
  return static_cast<std::uint64_t>(process) << 32 | node;
}

// The blocks from the first one with a sample to the last one: the ends of a recording may be gone.
struct Extent {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

Extent extent_of(const FlameTable& table, const Cells& cells) {
  Extent extent{.first = UINT32_MAX, .end = 0};
  for (const FlameTable::Cell& cell : cells) {
    const std::uint32_t block = table.owners()[cell.owner].block;
    extent = {.first = std::min(extent.first, block), .end = std::max(extent.end, block + 1)};
  }
  return cells.empty() ? Extent{} : extent;
}

}  // namespace

class FlameChanges::Making {
 public:
  Making(const FlameComparison& flames, bool has_boxes)
      : table_(flames.table),
        has_boxes_(has_boxes),
        functions_(flames.table.frames().size() + 1),
        last_stack_(functions_),
        sums_(2 * functions_) {}

  // The numbers of items: of `self` of each function, then of `total`, then of boxes.
  [[nodiscard]] std::size_t self(std::size_t function) const { return function; }
  [[nodiscard]] std::size_t total(std::size_t function) const { return functions_ + function; }
  [[nodiscard]] std::size_t functions() const { return functions_; }
  [[nodiscard]] const std::unordered_map<std::uint64_t, std::uint32_t>& boxes() const { return boxes_; }

  // How many samples the item has in both runs together, before series are made.
  void weigh(const Cells& cells, double mean_sample) {
    for (const FlameTable::Cell& cell : cells) {
      for (const std::uint32_t item : items_of(cell)) sums_[item] += static_cast<double>(cell.value) / mean_sample;
    }
  }

  struct Run {
    BlockedRun time;
    std::vector<BlockSeries> series;  // by item; empty for one that has too few samples
  };
  Run run(const Cells& cells, const RunBlocks& blocks) {
    const Extent extent = extent_of(table_, cells);
    Run made{.time = {.block_s = blocks.block_s,
                      .wholes = std::vector<double>(extent.end - extent.first),
                      .mean_sample = blocks.mean_sample},
             .series = std::vector<BlockSeries>(sums_.size())};
    std::vector<double> values(sums_.size());  // of one block
    std::vector<std::uint32_t> touched;
    const std::vector<std::size_t> order = by_block(cells);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const FlameTable::Cell& cell = cells[order[i]];
      const std::uint32_t block = table_.owners()[cell.owner].block;
      const auto value = static_cast<double>(cell.value);
      made.time.wholes[block - extent.first] += value;
      made.time.whole += value;
      for (const std::uint32_t item : items_of(cell)) {
        if (sums_[item] < least_samples || value == 0) continue;
        if (values[item] == 0) touched.push_back(item);
        values[item] += value;
      }
      if (i + 1 != order.size() && table_.owners()[cells[order[i + 1]].owner].block == block) continue;
      for (const std::uint32_t item : touched) {
        made.series[item].push_back(
            {.block = block - extent.first, .value = static_cast<float>(std::exchange(values[item], 0))});
      }
      touched.clear();
    }
    return made;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> by_block(const Cells& cells) const {
    std::vector<std::size_t> order(cells.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return table_.owners()[cells[i].owner].block; });
    return order;
  }

  // All items that the stack of the cell counts for.
  std::span<const std::uint32_t> items_of(const FlameTable::Cell& cell) {
    const StringId process = table_.owners()[cell.owner].process;
    const auto [place, is_new] = stacks_.try_emplace(key_of(process, cell.node));
    if (is_new) place->second = new_stack(process, cell.node);
    return std::span(items_).subspan(place->second.first, place->second.second);
  }

  std::pair<std::size_t, std::size_t> new_stack(StringId process, FlameTable::Index leaf) {
    const std::size_t begin = items_.size();
    ++stack_;
    const bool has_frames = leaf != FlameTable::none;
    const std::size_t last = has_frames ? table_.nodes()[table_.blamed(leaf)].frame : functions_ - 1;
    items_.push_back(static_cast<std::uint32_t>(self(last)));
    if (!has_frames) items_.push_back(static_cast<std::uint32_t>(total(last)));
    for (FlameTable::Index node = leaf; node != FlameTable::none; node = table_.nodes()[node].parent) {
      const std::size_t function = table_.nodes()[node].frame;
      // A recursive function counts once.
      if (std::exchange(last_stack_[function], stack_) != stack_) {
        items_.push_back(static_cast<std::uint32_t>(total(function)));
      }
      add_box(process, node);
    }
    add_box(process, FlameTable::none);
    return {begin, items_.size() - begin};
  }

  void add_box(StringId process, FlameTable::Index node) {
    if (!has_boxes_) return;
    const auto [place, is_new] = boxes_.try_emplace(key_of(process, node), static_cast<std::uint32_t>(sums_.size()));
    if (is_new) sums_.push_back(0);
    items_.push_back(place->second);
  }

  const FlameTable& table_;
  bool has_boxes_;
  std::size_t functions_;                  // number of them, with that of stacks without frames
  std::vector<std::uint32_t> items_;       // of all stacks, one after another
  std::vector<std::uint64_t> last_stack_;  // by function: the last stack that was counted for its total
  std::uint64_t stack_ = 0;                // number of the last stack, from 1
  std::vector<double> sums_;               // by item, in samples
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> stacks_;  // begin and length in items_
  std::unordered_map<std::uint64_t, std::uint32_t> boxes_;                         // item, by key_of()
};

FlameChanges::FlameChanges(const FlameComparison& flames, const ComparedBlocks& blocks, Of of)
    : functions_(flames.table.frames().size() + 1) {
  Making making(flames, of == Of::functions_and_boxes);
  making.weigh(flames.before, blocks.before.mean_sample);
  making.weigh(flames.after, blocks.after.mean_sample);
  const Making::Run before = making.run(flames.before, blocks.before);
  const Making::Run after = making.run(flames.after, blocks.after);
  fewest_blocks_ = std::min(before.time.wholes.size(), after.time.wholes.size());
  block_s_ = std::max(before.time.block_s, after.time.block_s);
  const auto change_of = [&](std::size_t item) {
    return share_change(before.time, before.series[item], after.time, after.series[item]);
  };

  std::vector<double> chances;
  const auto test = [&](const ShareChange& change) {
    if (change.is_known()) chances.push_back(change.chance());
  };
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    functions_[i] = {.self = change_of(making.self(i)), .total = change_of(making.total(i))};
    test(functions_[i].self);
    test(functions_[i].total);
  }
  std::vector<bool> believed = believable(chances, false_share);
  std::size_t next = 0;
  const auto is_sure = [&](const ShareChange& change) { return change.is_known() && believed[next++]; };
  for (FunctionChange& function : functions_) {
    function.is_self_sure = is_sure(function.self);
    function.is_total_sure = is_sure(function.total);
  }

  chances.clear();
  for (const auto& [key, item] : making.boxes()) {
    const ShareChange change = change_of(item);
    if (!change.is_known()) continue;
    boxes_.emplace(key, BoxChange{.share = change});
  }
  for (const auto& [key, box] : boxes_) test(box.share);
  believed = believable(chances, false_share);
  next = 0;
  for (auto& [key, box] : boxes_) box.is_sure = believed[next++];
}

const BoxChange* FlameChanges::box(StringId process, FlameTable::Index node) const {
  const auto found = boxes_.find(key_of(process, node));
  return found == boxes_.end() ? nullptr : &found->second;
}

std::vector<GrownFunction> FlameChanges::grown_above(double share) const {
  std::vector<GrownFunction> tested;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const FunctionChange& function = functions_[i];
    if (function.self.is_known()) tested.push_back({.function = i, .is_self = true, .share = function.self});
    if (function.total.is_known()) tested.push_back({.function = i, .is_self = false, .share = function.total});
  }
  std::vector<double> chances;
  chances.reserve(tested.size());
  for (const GrownFunction& one : tested) chances.push_back(one.share.chance_above(share));
  // Half of the rate, as an interval leaves half of it on each side: the whole interval is then above `share`.
  const std::vector<bool> believed = believable(chances, false_share / 2);
  std::vector<GrownFunction> grown;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    const bool is_new = grown.empty() || grown.back().function != tested[i].function;
    if (believed[i] && is_new) grown.push_back(tested[i]);
  }
  std::ranges::stable_sort(grown, std::greater(), [](const GrownFunction& one) { return one.share.change; });
  return grown;
}

std::string FlameChanges::blocks_text() const {
  double longest_s = block_s_;
  for (const FunctionChange& function : functions_) {
    longest_s = std::max({longest_s, function.self.block_s, function.total.block_s});
  }
  const auto seconds_text = [](double length_s) { return decimal(length_s, 0) + " s"; };
  const std::string text = "blocks of " + seconds_text(block_s_);
  return longest_s == block_s_ ? text : text + ", up to " + seconds_text(longest_s) + " where bursts last longer";
}

}  // namespace profile
