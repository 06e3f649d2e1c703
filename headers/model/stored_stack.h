// Stacks as the stores keep them, SQLite's and ClickHouse's: a list of frames from the outermost one to the leaf, which
// has more than functions. First why the stack has no more frames (kind `end`), then the user frames, the kernel
// frames, and the tag of the samples. A function that was inlined is a frame of its own, after the one that it was
// inlined into. A stack that could not be taken is a frame of kind `missed`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profile {

// The kinds of stored frames.
inline constexpr std::string_view kind_user = "user";
inline constexpr std::string_view kind_kernel = "kernel";
inline constexpr std::string_view kind_script = "script";
inline constexpr std::string_view kind_inlined = "inlined";  // it has only a name and a source line
inline constexpr std::string_view kind_tag = "tag";          // the name is that of Row::tag
inline constexpr std::string_view kind_missed = "missed";    // the name is missed_user_stack or missed_kernel_stack
inline constexpr std::string_view kind_end = "end";          // the name is the key of a StackEnd

// A frame as stores have it. The texts belong to the profile or to the caller.
struct StoredFrame {
  std::string_view kind;
  std::string_view name = {};     // empty: it has none
  std::string_view module = {};   // empty: the last part of its binary's path
  std::string_view file = {};     // of the source
  std::string_view unnamed = {};  // a word of model/unnamed_words.h
  std::uint32_t line = 0;
  std::uint64_t offset = unknown_offset;    // as Frame::offset
  std::uint64_t function = unknown_offset;  // likewise
  std::uint64_t address = 0;                // in the binary; 0: none
  bool is_return = false;
};

// The functions of a frame: its own and those that are inlined in it, the outermost first.
[[nodiscard]] std::vector<StoredFrame> stored_functions(const Profile& profile, const Frame& frame);

// What a reader keeps of a stored frame, with the texts in its profile.
struct FrameInStore {
  enum class Kind : std::uint8_t { function, inlined, tag, missed, end };
  Kind kind = Kind::function;
  Frame frame;  // without its address space and its source; of other kinds only the symbol
  SourceLine at;
  StackEnd end = StackEnd::unknown;
};
// `binary`: that the frame is in. An unknown kind is a user's function, and an unknown reason is no symbol.
[[nodiscard]] FrameInStore frame_in_store(Profile& profile, const StoredFrame& stored, BinaryId binary);

struct StacksOfRow {
  StackId user = StackId::none;
  StackId kernel = StackId::none;
  StringId tag = StringId::empty;
};
// Makes the stacks of frames in their stored order.
class StackMaker {
 public:
  [[nodiscard]] StacksOfRow make(Profile& profile, ProcessId process,
                                 std::span<const FrameInStore* const> outermost_first);

 private:
  std::vector<FrameId> user_;
  std::vector<FrameId> kernel_;
  std::vector<InlinedFunction> inlined_;
};

}  // namespace profile
