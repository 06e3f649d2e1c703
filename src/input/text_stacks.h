// The stacks of a row from the frames that a format lists one after the other, the kernel's and the user's in one list,
// with what only stands in for some of them.
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
  bool is_inlined = false;                // in the next that is not
};

class TextStacks {
 public:
  explicit TextStacks(Profile& profile) : profile_(profile) {}

  // Fills in `row`, whose process is known. Up to the last of the kernel's frames all are the kernel's.
  void fill(Row& row, std::span<const TextFrame> leaf_first);

 private:
  StackId stack(std::span<const TextFrame> leaf_first, FrameKind kind, ProcessId process, StackEnd end);
  FrameId frame(const TextFrame& read, FrameKind kind, ProcessId process);

  Profile& profile_;
  std::vector<FrameId> frames_;
  std::vector<InlinedFunction> inlined_;
};

}  // namespace profile
