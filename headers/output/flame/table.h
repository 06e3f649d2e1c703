// What flame graphs are made of: frames as they are drawn, the tree of all stacks, and who was seen where in it. It
// outlives the profile that was added, so that a live view can go on adding; everything in it is numbered in the order
// of its arrival, so that what is new is what stands behind a mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/profile.h"
#include "model/string_table.h"

namespace profile {

// How a frame is coloured. The numbers are those of the page's data.
enum class FlameKind : std::uint8_t { user = 0, kernel = 1, inlined = 2, jit = 3, unnamed = 4, tag = 5, owner = 6 };

// What is made of frames without any name that stand one upon the other, as broken chains leave them by the hundred:
// for who looks at a picture they are one, "[unknown] ×126".
enum class UnknownRuns : std::uint8_t { kept, folded };

class FlameTable {
 public:
  explicit FlameTable(UnknownRuns runs = UnknownRuns::kept) : runs_(runs) {}

  using Index = std::uint32_t;
  static constexpr Index none = UINT32_MAX;

  // Texts are clean (output/clean_text.h).
  struct Frame {
    StringId name = StringId::empty;    // never empty: "main", "[dd+0x1234]", "[unknown]", "[Missed User Stack]"
    StringId module = StringId::empty;  // "libc.so.6", "[kernel]"; empty when not known
    StringId file = StringId::empty;    // of the source; empty when not known
    std::uint32_t line = 0;             // 0: not known
    FlameKind kind = FlameKind::user;
    friend bool operator==(const Frame&, const Frame&) = default;
  };
  // Who was seen.
  struct Owner {
    StringId process = StringId::empty;  // its name, never empty
    std::uint32_t tgid = 0;
    StringId thread = StringId::empty;  // its name, never empty
    std::uint32_t tid = 0;              // 0 unless told apart
    std::uint32_t cpu = any_cpu;        // unless told apart
    friend bool operator==(const Owner&, const Owner&) = default;
  };
  // A stack is a node: the path to it from a root, which is a node whose parent is `none`. A parent stands before its
  // children.
  struct Node {
    Index parent = none;
    Index frame = 0;
  };
  // `value` was seen of `owner` with just this stack. A stack without any frame has node `none`.
  struct Cell {
    Index owner = 0;
    Index node = none;
    std::uint64_t value = 0;
  };

  // Adds what is new in `profile` and returns its rows as cells, each pair of owner and node once, in the order of
  // their first rows. A tag is a frame at the leaf, incomplete_frame() the outermost of a stack that is;
  // functions that were inlined are frames of their own.
  std::vector<Cell> add(const Profile& profile);
  [[nodiscard]] UnknownRuns unknown_runs() const { return runs_; }

  [[nodiscard]] const StringTable& strings() const { return strings_; }
  [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }
  [[nodiscard]] const std::vector<Owner>& owners() const { return owners_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

  // How much there is of everything: what a reader has seen.
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
  // The same of another table's frame or owner, with the texts that they name.
  Index copy_frame(const FlameTable& from, Index frame);
  Index copy_owner(const FlameTable& from, Index owner);
  // The node of `frame` below `parent`.
  Index child(Index parent, Index frame);
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
};

}  // namespace profile
