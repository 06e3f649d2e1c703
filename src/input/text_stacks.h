// Splits the one list of frames that a text format has into the kernel stack and the user stack of a Row. Entries that
// are not frames but stand for a missed stack, a stack end or a tag are recognised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "input/frame_text.h"
#include "model/profile.h"

namespace profile {

struct TextFrame {
  FrameText text = {};
  FrameKind kind = FrameKind::user;
  std::uint64_t address = 0;
  std::uint64_t offset = unknown_offset;  // from the start of its symbol
  bool is_inlined = false;                // in the next frame that is not inlined
};

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
