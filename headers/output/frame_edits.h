// What the user wants to see of the stacks of a profile: only those with certain functions, all without certain frames,
// or runs of neighbouring frames as one. It changes a profile, so that every format shows the same.
#pragma once

#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profile {

// A regular expression (ECMAScript, without references back) that is searched for in the names of functions. A search
// takes at most quadratic time, and of a longer name only the first `most_bytes` count.
class FunctionPattern {
 public:
  static constexpr std::size_t most_bytes = 1024;
  // Throws Error, whose text says why it is none.
  explicit FunctionPattern(std::string_view text);
  [[nodiscard]] bool is_in(std::string_view name) const;

 private:
  std::regex regex_;
};

class FrameEditing;

class FrameEdits {
 public:
  // "recursion": a function that is on the stack already, with all between.
  static constexpr std::string_view recursion = "recursion";
  // "lib:libc.so.6" or "lib:libc*": frames of that file or kernel module become one frame, "[libc.so.6]".
  static constexpr std::string_view of_file = "lib:";

  // Each throws Error if `text` is no rule; its text says why. Of several rules of one kind, one has to match.
  void focus(std::string_view text) { focus_.emplace_back(text); }
  void hide(std::string_view text) { hide_.emplace_back(text); }
  // Either word, or a pattern: a run of frames whose names it matches becomes the frame nearest to the root.
  void collapse(std::string_view text);

  [[nodiscard]] bool has_focus() const { return !focus_.empty(); }

  // First takes away the rows without a matching function (their samples count as filtered), then the hidden frames,
  // then collapses what are neighbours now. Only the focus changes the total. Tags and the names of missed stacks are
  // functions, too. `profile` must have been symbolised.
  void apply(Profile& profile) const;

 private:
  friend class FrameEditing;

  struct Run {
    std::string file;                    // "libc.so.6", "libc*"; empty: `names` is the rule
    std::vector<FunctionPattern> names;  // one, or none
  };
  std::vector<FunctionPattern> focus_;
  std::vector<FunctionPattern> hide_;
  std::vector<Run> runs_;
  bool is_without_recursion_ = false;
};

// The same edits for the samples of a profile, one after the other.
class SampleEdits {
 public:
  // Both must outlive this object.
  SampleEdits(const FrameEdits& edits, Profile& profile);
  ~SampleEdits();
  SampleEdits(const SampleEdits&) = delete;
  SampleEdits& operator=(const SampleEdits&) = delete;

  // Changes the stacks of the row, whose ids are of the profile. False: it is not in focus.
  bool apply(Row& row);

 private:
  std::unique_ptr<FrameEditing> editing_;
};

}  // namespace profile
