// Why user stacks end: the only table of its words, for people and for programs, and the counts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/profile.h"

namespace profile {

struct StackEndWords {
  std::string_view key;    // for programs
  std::string_view words;  // in the summary and in pprof comments, after a number of samples
  std::string_view frame;  // short text of incomplete_frame()
};
[[nodiscard]] const StackEndWords& words_of(StackEnd end);
// "[incomplete: no CFI]", the root frame of a stack that is_incomplete(). It stands for the missing frames.
[[nodiscard]] std::string incomplete_frame(StackEnd end);
// The reverse, for readers of files: the end with that key, and the end with that frame. nullopt when there is none.
[[nodiscard]] std::optional<StackEnd> end_of_key(std::string_view key);
[[nodiscard]] std::optional<StackEnd> end_of_frame(std::string_view frame);

// Counts the samples that have a user stack, by the end of the stack. Stacks must be made believable first
// (model/stack_roots.h).
class StackEndCounts {
 public:
  void add(const Profile& profile, const Row& row) {
    if (row.user == StackId::none || row.user == StackId::missed) return;
    const StackEnd end = profile.end_of(row.user);
    samples_[static_cast<std::size_t>(end)] += row.samples;
    any_known_ |= end != StackEnd::unknown;
  }
  void add(const Profile& profile) {
    for (const Row& row : profile.rows()) add(profile, row);
  }
  void add(const StackEndCounts& other) {
    for (std::size_t i = 0; i < samples_.size(); ++i) samples_[i] += other.samples_[i];
    any_known_ |= other.any_known_;
  }

  [[nodiscard]] std::uint64_t of(StackEnd end) const { return samples_[static_cast<std::size_t>(end)]; }
  [[nodiscard]] std::uint64_t all() const;
  // Of the ends that are is_incomplete().
  [[nodiscard]] std::uint64_t incomplete() const { return all() - of(StackEnd::root) - of(StackEnd::unknown); }
  // Whether any stack has a known end, also if the number of its samples is not known. If not, outputs print nothing
  // about ends.
  [[nodiscard]] bool any_known() const { return any_known_; }

  // Calls `visit(end, samples)` for every end, also with 0 samples.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < samples_.size(); ++i) visit(static_cast<StackEnd>(i), samples_[i]);
  }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(StackEnd::count)> samples_{};
  bool any_known_ = false;
};

}  // namespace profile
