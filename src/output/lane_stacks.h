// The stacks of samples as forms with a lane for each thread need them: functions, and a tree of them from the root.
// Both are numbered by what they are, so that they stay the same when the samples come from another profile.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/profile.h"
#include "model/string_table.h"
#include "output/shown_frame.h"
#include "support/hash.h"

namespace profile {

// What the time in a frame is spent on.
enum class LaneCategory : std::uint8_t { other, user, kernel, script, jit, waiting };

// A function as it is shown. Its texts are those of LaneStacks::strings().
struct LaneFunction {
  StringId name = StringId::empty;
  StringId module = StringId::empty;    // "libc.so.6", "[kernel]"; empty when unknown
  StringId path = StringId::empty;      // of the file that holds the code; empty when it has none
  StringId build_id = StringId::empty;  // in hex
  CodeSegment code = {};                // of that file
  ElfAddress address = {};              // of the instruction in that file, 0: unknown
  StringId source = StringId::empty;    // path
  std::uint32_t line = 0;               // in it; of a script's function, where it begins. 0: unknown
  std::uint32_t inline_depth = 0;       // 0: the function that has the code
  LaneCategory category = LaneCategory::other;
  friend auto operator<=>(const LaneFunction&, const LaneFunction&) = default;
};

// Of the tags of the event's rows, and of its spans.
[[nodiscard]] LaneCategory category_of_tag(const RunInfo& run);

class LaneStacks {
 public:
  // A function and its caller.
  struct Node {
    std::uint32_t caller = 0;    // number of a node; 0: it is the root
    std::uint32_t function = 0;  // index in functions()
  };

  // The number of the node of the row's leaf; 0: it has no stack. `run` is of the row's event.
  std::uint32_t stack_of(const RunInfo& run, const Profile& profile, const Row& row);
  // The next rows belong to another profile. The numbers stay valid.
  void forget();
  // The numbers begin anew.
  void clear();

  StringTable& strings() { return strings_; }
  [[nodiscard]] std::string_view text(StringId id) const { return strings_.view(id); }
  [[nodiscard]] std::span<const LaneFunction> functions() const { return functions_; }
  // The first has no meaning. A caller has a smaller number than what it calls.
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }

 private:
  struct RowKey {
    StackId user;
    StackId kernel;
    StringId tag;
    LaneCategory of_tag;
    friend bool operator==(const RowKey&, const RowKey&) = default;
  };
  struct RowKeyHash {
    std::size_t operator()(const RowKey& key) const {
      return hash_of(hash_of(static_cast<std::uint64_t>(key.user), static_cast<std::uint64_t>(key.kernel)),
                     static_cast<std::uint64_t>(key.tag) << 8 | static_cast<std::uint64_t>(key.of_tag));
    }
  };

  std::uint32_t add_stack(const Profile& profile, std::uint32_t node, StackId stack);
  std::span<const std::uint32_t> functions_of(const Profile& profile, FrameId id);
  LaneFunction function_of(const Profile& profile, const ShownFrame& shown, std::uint32_t inline_depth);
  std::uint32_t text_function(std::string_view text, LaneCategory category);
  std::uint32_t intern(const LaneFunction& function);
  std::uint32_t node(std::uint32_t caller, std::uint32_t function);

  StringTable strings_;
  std::vector<LaneFunction> functions_;
  std::map<LaneFunction, std::uint32_t> function_numbers_;
  std::vector<Node> nodes_{Node{}};
  std::unordered_map<std::uint64_t, std::uint32_t> node_numbers_;  // key: caller << 32 | function
  // Of the profile:
  std::unordered_map<RowKey, std::uint32_t, RowKeyHash> stacks_;
  std::unordered_map<FrameId, std::vector<std::uint32_t>> frames_;  // outermost function first
};

}  // namespace profile
