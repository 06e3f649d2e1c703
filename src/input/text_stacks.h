// What the readers of text formats share: the lines of a text, and the stacks that its frames make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "input/byte_source.h"
#include "input/frame_text.h"
#include "model/profile.h"

namespace profile {

// Counts the lines of a text, for the line numbers in errors.
class TextLines {
 public:
  explicit TextLines(ByteSource& bytes) : bytes_(bytes) {}

  // False at the end. `line` has no line ending (LF or CRLF), and is valid until release().
  bool next(std::string_view& line) {
    if (!bytes_.next_line(line)) return false;
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return true;
  }
  // The line after that; empty at the end.
  [[nodiscard]] std::string_view peek() { return bytes_.line_ahead(); }
  void release() { bytes_.release(); }
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  ByteSource& bytes_;
  std::size_t number_ = 0;
};

struct TextFrame {
  FrameText text = {};
  FrameKind kind = FrameKind::user;
  std::uint64_t address = 0;
  std::uint64_t offset = unknown_offset;  // from the start of its symbol
  bool is_inlined = false;                // in the next frame that is not inlined
};

// Moves "+0xd" from the end of the frame's name to its offset.
void take_offset_off(TextFrame& frame);

// Splits the one list of frames that a text format has into the kernel stack and the user stack of a Row. Entries that
// are not frames but stand for a missed stack, a stack end or a tag are recognised.
class TextStacks {
 public:
  explicit TextStacks(Profile& profile) : profile_(profile) {}

  // Fills in the stacks of `row`, whose process is set. All frames from the leaf to the last kernel frame count as
  // kernel frames.
  void fill(Row& row, std::span<const TextFrame> leaf_first);

 private:
  StackId stack(std::span<const TextFrame> leaf_first, FrameKind kind, ProcessId process, StackEnd end);
  FrameId frame(const TextFrame& read, FrameKind kind, ProcessId process);

  Profile& profile_;
  std::vector<FrameId> frames_;
  std::vector<InlinedFunction> inlined_;
};

}  // namespace profile
