#include "input/text_stacks.h"

#include "model/stack_end.h"
#include "support/text_parts.h"

namespace profile {

void take_offset_off(TextFrame& frame) {
  std::string_view& symbol = frame.text.symbol;
  const std::size_t plus = symbol.rfind("+0x");
  if (plus == symbol.npos || plus == 0) return;
  if (const auto offset = parse_number<std::uint64_t>(symbol.substr(plus + 3), 16)) {
    frame.offset = *offset;
    symbol = symbol.substr(0, plus);
  }
}

void TextStacks::fill(Row& row, std::span<const TextFrame> leaf_first) {
  if (!leaf_first.empty() && leaf_first.front().text.symbol == off_cpu_tag) {
    row.tag = profile_.strings.intern(off_cpu_tag);
    leaf_first = leaf_first.subspan(1);
  }
  StackEnd end = StackEnd::unknown;
  if (leaf_first.size() > 1) {
    const auto end_frame = end_of_frame(leaf_first.back().text.symbol);
    if (end_frame) leaf_first = leaf_first.first(leaf_first.size() - 1);
    end = end_frame.value_or(end);
  }
  if (!leaf_first.empty() && leaf_first.front().text.symbol == missed_kernel_stack) {
    row.kernel = StackId::missed;
    leaf_first = leaf_first.subspan(1);
  }
  const bool missed_user = !leaf_first.empty() && leaf_first.back().text.symbol == missed_user_stack;
  if (missed_user) leaf_first = leaf_first.first(leaf_first.size() - 1);
  std::size_t kernel = leaf_first.size();
  while (kernel != 0 && leaf_first[kernel - 1].kind != FrameKind::kernel) --kernel;
  // Without a user stack all frames are kernel frames, also outermost frames without a module that says so.
  if (missed_user && row.kernel == StackId::none) kernel = leaf_first.size();
  if (row.kernel == StackId::none) {
    row.kernel = stack(leaf_first.first(kernel), FrameKind::kernel, row.process, StackEnd::unknown);
    leaf_first = leaf_first.subspan(kernel);
  }
  row.user = missed_user ? StackId::missed : stack(leaf_first, FrameKind::user, row.process, end);
}

StackId TextStacks::stack(std::span<const TextFrame> leaf_first, FrameKind kind, ProcessId process, StackEnd end) {
  frames_.clear();
  inlined_.clear();
  for (std::size_t i = 0; i < leaf_first.size(); ++i) {
    const TextFrame& read = leaf_first[i];
    if (read.is_inlined && i + 1 < leaf_first.size()) {
      inlined_.push_back({.symbol = profile_.strings.intern(read.text.symbol),
                          .at = {.file = profile_.strings.intern(read.text.file), .line = read.text.line}});
    } else {
      frames_.push_back(frame(read, kind, process));
      inlined_.clear();
    }
  }
  return profile_.stack(frames_, end);
}

FrameId TextStacks::frame(const TextFrame& read, FrameKind kind, ProcessId process) {
  Frame frame = described_frame(profile_, read.text, kind, process);
  frame.address = RuntimeAddress{read.address};
  if (!read.text.symbol.empty()) frame.offset = read.offset;
  if (!inlined_.empty()) {
    frame.source = profile_.source({.at = profile_.source(frame.source).at, .inlined = inlined_});
  }
  return profile_.frame(frame);
}

}  // namespace profile
