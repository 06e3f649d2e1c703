// The rows of a profile in the words of a text format: one owner (thread or process) and frames, each of them a label.
// Rows with the same text are merged here, once for all formats. A label is a number, so 100,000 stacks take a few
// megabytes. A tree of the stacks takes more memory than their lines when stacks share few frames.
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

// The wording of a row in one format.
struct Wording {
  enum class Owner { thread, thread_and_tgid, process_and_tgid };  // "dd", "dd (185)", "dd (185)"

  Owner owner = Owner::thread;
  bool owner_first = true;  // whether the owner comes before the frames or after them
  bool root_first = true;   // user, kernel, tag, each from the root; otherwise tag, kernel, user, each from the leaf
  bool offsets = false;     // "read+0x10" instead of "read"; "read (inlined)" for an inlined function
  bool modules = false;     // "read [libc.so.6]" instead of "read"
  bool addresses = false;   // "0x%016x " before each frame
  // "_[k]" after each kernel frame, "_[i]" after each inlined one, and incomplete_frame() if a user stack lacks frames.
  bool annotate = false;
  Semicolon semicolon = Semicolon::replace;
  std::string_view delimiter = {};  // label between user and kernel part if both were taken; "" for none
};

// Index of a text. The order of labels is the order of their texts.
enum class Label : std::uint32_t {};

struct LabelledRow {
  std::uint32_t row = 0;  // the first of Profile::rows() with this text
  Label owner{};
  std::uint64_t value = 0;
};

class LabelledRows {
 public:
  // `profile` must outlive this object and must not change.
  LabelledRows(const Profile& profile, const Wording& wording);

  // Sorted by text, label by label. A stable sort by value therefore keeps this order for equal values.
  [[nodiscard]] const std::vector<LabelledRow>& rows() const { return rows_; }
  // The texts of rows are never empty. A row without a stack has no frames.
  [[nodiscard]] std::string_view text(Label label) const { return by_text_[index(label)]; }
  // Replaces `out` with the frames of the row, in the order of the wording.
  void frames(const LabelledRow& row, std::vector<Label>& out) const;
  // Calls `visit` for each row with its frames, smallest value first. Rows with equal values keep the order of their
  // texts.
  using Visit = std::function<void(const LabelledRow& row, std::span<const Label> frames)>;
  void each_by_value(const Visit& visit) const;

 private:
  class Walk;

  static std::size_t index(Label label) { return static_cast<std::size_t>(label); }
  [[nodiscard]] std::span<const Label> labels_of(FrameId frame) const {
    const auto first = first_labels_.begin() + static_cast<std::ptrdiff_t>(frame);
    return std::span(labels_).subspan(first[0], first[1] - first[0]);
  }
  // The frame that says what the row's user stack lacks, if anything.
  [[nodiscard]] std::span<const FrameId> incomplete_part(const Row& row) const;
  Label intern_owner(const Row& row);
  void label(FrameId id);
  Label intern_text();  // interns text_
  void number_by_text();
  // A number for the first two labels, with the owner where it comes first. Rows compare as these numbers do, unless
  // the numbers are equal.
  [[nodiscard]] std::uint64_t beginning_of(const LabelledRow& row) const;
  void sort_and_merge();

  const Profile& profile_;
  Wording wording_;
  std::string text_;  // of the current label
  StringTable texts_;
  std::vector<std::string_view> by_text_;  // by Label
  // The labels of one frame are together, leaf first: inlined functions, then the function that has the code.
  std::vector<Label> labels_;
  // Index of the first label in labels_, by FrameId. After the profile's frames come the stand-ins, whose ids follow,
  // and the end.
  std::vector<std::uint32_t> first_labels_;
  FrameId missed_user_{};
  FrameId missed_kernel_{};
  FrameId delimiter_{};
  std::unordered_map<StackEnd, FrameId> incomplete_;  // only ends that rows have
  std::unordered_map<StringId, FrameId> tags_;
  std::vector<LabelledRow> rows_;
};

}  // namespace profile
