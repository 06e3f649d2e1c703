// The rows of a profile as a text format words them: one owner (a thread or a process) and frames, each a label. Rows
// that read the same are merged here, once for all formats. A label is a number, so 100,000 stacks cost a few megabytes
// and not their rendered lines; a tree of them would cost more than the lines wherever stacks share little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/profile.h"
#include "model/string_table.h"
#include "output/clean_text.h"

namespace profile {

// How a format words a row.
struct Wording {
  enum class Owner { thread, thread_and_tgid, process_and_tgid };  // "dd", "dd (185)", "dd (185)"

  Owner owner = Owner::thread;
  bool owner_first = true;  // where it stands in the text, before or behind the frames
  bool root_first = true;   // user, kernel, tag, each from the root; otherwise tag, kernel, user, each from the leaf
  bool offsets = false;     // "read+0x10" instead of "read", and "read (inlined)" where it was
  bool modules = false;     // "read [libc.so.6]" instead of "read"
  bool addresses = false;   // "0x%016x " in front of each frame
  // "_[k]" behind each kernel frame, "_[i]" behind each inlined one, incomplete_frame() where a user stack lacks some.
  bool annotate = false;
  Semicolon semicolon = Semicolon::replace;
  std::string_view delimiter;  // a label between the two parts where both were taken; "" for none
};

// Index of a text; ascends in the order of the texts.
enum class Label : std::uint32_t {};

struct LabelledRow {
  std::uint32_t row = 0;  // the first of Profile::rows() that reads so
  Label owner{};
  std::uint64_t value = 0;
};

class LabelledRows {
 public:
  // `profile` must outlive it and stay as it is.
  LabelledRows(const Profile& profile, const Wording& wording);

  // In the order of their texts, label by label, so that a stable sort by value leaves ties in that order.
  [[nodiscard]] const std::vector<LabelledRow>& rows() const { return rows_; }
  // No row has an empty text; a row without any stack has no frames.
  [[nodiscard]] std::string_view text(Label label) const { return texts_.view(by_text_[index(label)]); }
  // Replaces `out` by the row's frames in the order of the wording.
  void frames(const LabelledRow& row, std::vector<Label>& out) const;
  // Visits each row with its frames, the smallest value first, rows of one value in the order of their texts.
  using Visit = std::function<void(const LabelledRow& row, std::span<const Label> frames)>;
  void each_by_value(const Visit& visit) const;

 private:
  class Walk;

  static std::size_t index(Label label) { return static_cast<std::size_t>(label); }
  [[nodiscard]] std::span<const Label> labels_of(FrameId frame) const {
    const auto first = first_labels_.begin() + static_cast<std::ptrdiff_t>(frame);
    return std::span(labels_).subspan(first[0], first[1] - first[0]);
  }
  Label intern_owner(const Row& row);
  void label(const Frame& frame);
  void begin_frame(const Frame& frame);
  Label end_frame(const SourceLine& at, std::string_view mark);
  Label intern_text();  // of text_
  void append_name(const Frame& frame);
  void append_module(const Frame& frame);
  void number_by_text();
  void sort_and_merge();

  const Profile& profile_;
  Wording wording_;
  std::string text_;  // of the label that is being made
  StringTable texts_;
  std::vector<StringId> by_text_;  // by Label
  // Those of a frame stand together, leaf first: the functions inlined there, then its own.
  std::vector<Label> labels_;
  // Where in labels_, by FrameId; behind the profile's frames those that only stand in for something, whose ids are
  // below, and the end.
  std::vector<std::uint32_t> first_labels_;
  FrameId missed_user_{};
  FrameId missed_kernel_{};
  FrameId delimiter_{};
  std::unordered_map<StackEnd, FrameId> incomplete_;  // those that rows have
  std::unordered_map<StringId, FrameId> tags_;
  std::vector<LabelledRow> rows_;
};

}  // namespace profile
