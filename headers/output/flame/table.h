// The data of flame graphs: frames as they are drawn, the tree of all stacks, and the owner of each value. The table
// outlives the profiles that are added to it, so a live view can add more. All items are numbered in the order of
// arrival, so the new items are those after a mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/profile.h"
#include "model/string_table.h"

namespace profile {

// How a frame is coloured. The data of the page has the same numbers.
enum class FlameKind : std::uint8_t {
  user = 0,
  kernel = 1,
  inlined = 2,
  jit = 3,
  unnamed = 4,
  tag = 5,
  owner = 6,
  script = 7
};

// What happens to consecutive frames without a name. Broken frame-pointer chains make hundreds of them; `folded` makes
// one frame of them, "[unknown] ×126".
enum class UnknownRuns : std::uint8_t { kept, folded };

class FlameTable {
 public:
  explicit FlameTable(UnknownRuns runs = UnknownRuns::kept) : runs_(runs) {}

  using Index = std::uint32_t;
  static constexpr Index none = UINT32_MAX;

  // All texts are clean (output/clean_text.h).
  struct Frame {
    StringId name = StringId::empty;    // never empty: "main", "[dd+0x1234]", "[unknown]", "[Missed User Stack]"
    StringId module = StringId::empty;  // "libc.so.6", "[kernel]"; empty when not known
    StringId file = StringId::empty;    // of the source; empty when not known
    std::uint32_t line = 0;             // 0: not known
    FlameKind kind = FlameKind::user;
    friend bool operator==(const Frame&, const Frame&) = default;
  };
  // The process, the thread and the CPU that a value belongs to.
  struct Owner {
    StringId process = StringId::empty;  // its name; never empty
    std::uint32_t tgid = 0;
    StringId thread = StringId::empty;  // its name; never empty
    std::uint32_t tid = 0;              // 0 unless threads are kept apart
    std::uint32_t cpu = any_cpu;        // any_cpu unless CPUs are kept apart
    std::uint32_t block = 0;            // of time (Row::block)
    friend bool operator==(const Owner&, const Owner&) = default;
  };
  // A stack is a node: the path from a root to this node. The parent of a root is `none`, and each parent comes before
  // its children.
  struct Node {
    Index parent = none;
    Index frame = 0;
  };
  // The `value` of `owner` with exactly this stack. `node` is `none` for a stack without frames.
  struct Cell {
    Index owner = 0;
    Index node = none;
    std::uint64_t value = 0;
  };

  // Adds what is new in `profile`. Returns its rows as cells: one for each pair of owner and node, in the order of
  // their first rows.
  // A tag becomes the leaf frame, incomplete_frame() becomes the root frame of an incomplete stack, and each inlined
  // function becomes a frame. `cell_of_row`: gets the index of the cell of each row.
  std::vector<Cell> add(const Profile& profile, std::vector<Index>* cell_of_row = nullptr);
  [[nodiscard]] UnknownRuns unknown_runs() const { return runs_; }

  [[nodiscard]] const StringTable& strings() const { return strings_; }
  [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }
  [[nodiscard]] const std::vector<Owner>& owners() const { return owners_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

  // The node of the function that the value of a stack belongs to: an ancestor where the leaf waits or allocates for
  // it (output/blamed_frame.h), else the node itself. Only where runs of unknown frames are kept.
  [[nodiscard]] Index blamed(Index node) const {
    const auto found = blamed_.find(node);
    return found == blamed_.end() ? node : found->second;
  }
  void blame(Index node, Index on) {
    if (on != node) blamed_[node] = on;
  }

  // The number of items of each kind at one moment; a reader keeps it to find what is new later.
  struct Mark {
    std::size_t strings = 0;
    std::size_t frames = 0;
    std::size_t owners = 0;
    std::size_t nodes = 0;
  };
  [[nodiscard]] Mark mark() const {
    return {.strings = strings_.size(), .frames = frames_.size(), .owners = owners_.size(), .nodes = nodes_.size()};
  }

  Index intern_frame(const Frame& frame);
  Index intern_owner(const Owner& owner);
  // Copy a frame or an owner, and its texts, from another table.
  Index copy_frame(const FlameTable& from, Index frame);
  Index copy_owner(const FlameTable& from, Index owner);
  // Returns the node of `frame` below `parent`; adds it if it is new.
  Index child(Index parent, Index frame);
  // Makes one owner of all that differ only in their block. Returns the new owner of each.
  [[nodiscard]] std::vector<Index> join_blocks();
  // The place of each node in a depth-first walk in which siblings are in the order of the ranks of their frames.
  [[nodiscard]] std::vector<Index> depth_first(const std::vector<Index>& rank) const;
  StringId intern(std::string_view clean_text) { return strings_.intern(clean_text); }
  StringId copy_text(const FlameTable& from, StringId text) { return intern(from.strings_.view(text)); }

 private:
  class Adding;
  struct FrameHash {
    std::size_t operator()(const Frame& frame) const noexcept;
  };
  struct OwnerHash {
    std::size_t operator()(const Owner& owner) const noexcept;
  };

  UnknownRuns runs_;
  StringTable strings_;
  std::vector<Frame> frames_;
  std::unordered_map<Frame, Index, FrameHash> frame_ids_;
  std::vector<Owner> owners_;
  std::unordered_map<Owner, Index, OwnerHash> owner_ids_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, Index> node_ids_;  // key: parent << 32 | frame
  std::unordered_map<Index, Index> blamed_;
};

// Sums of cells: each pair of owner and node is there once, in the order of arrival.
class FlameSums {
 public:
  // Returns the index of the sum.
  std::size_t add(const FlameTable::Cell& cell) {
    const auto [place, is_new] = places_.try_emplace(std::uint64_t{cell.owner} << 32 | cell.node, cells_.size());
    if (is_new) cells_.push_back({.owner = cell.owner, .node = cell.node});
    cells_[place->second].value += cell.value;
    return place->second;
  }
  [[nodiscard]] const std::vector<FlameTable::Cell>& cells() const { return cells_; }
  [[nodiscard]] std::vector<FlameTable::Cell> take() && { return std::move(cells_); }

 private:
  std::vector<FlameTable::Cell> cells_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // key: owner << 32 | node
};

}  // namespace profile
