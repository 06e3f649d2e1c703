// What is said of why user stacks end: THE table of words, for people and for programs, and the counts.
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
  std::string_view words;  // of the summary and the comments of pprof, behind a number of samples
  std::string_view frame;  // short, of incomplete_frame()
};
[[nodiscard]] const StackEndWords& words_of(StackEnd end);
// "[incomplete: no CFI]": stands in the place of the frames that a stack which is_incomplete() lacks, as its outermost.
[[nodiscard]] std::string incomplete_frame(StackEnd end);
// Back from what files have of them: the end of that key; the incomplete one whose frame it is.
[[nodiscard]] std::optional<StackEnd> end_of_key(std::string_view key);
[[nodiscard]] std::optional<StackEnd> end_of_frame(std::string_view frame);

// Of the samples that have a user stack, those that ended so. The stacks are believable (model/stack_roots.h).
class StackEndCounts {
 public:
  void add(const Profile& profile, const Row& row) {
    if (row.user == StackId::none || row.user == StackId::missed) return;
    samples_[static_cast<std::size_t>(profile.end_of(row.user))] += row.samples;
  }
  void add(const Profile& profile) {
    for (const Row& row : profile.rows()) add(profile, row);
  }
  void add(const StackEndCounts& other) {
    for (std::size_t i = 0; i < samples_.size(); ++i) samples_[i] += other.samples_[i];
  }

  [[nodiscard]] std::uint64_t of(StackEnd end) const { return samples_[static_cast<std::size_t>(end)]; }
  [[nodiscard]] std::uint64_t all() const;
  [[nodiscard]] std::uint64_t incomplete() const;
  // Whether of any it was told how it ended: where it was of none, nothing is to be said.
  [[nodiscard]] bool any_told() const { return all() != of(StackEnd::unknown); }

  // Calls `visit(end, samples)` for all, those that nobody had too.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < samples_.size(); ++i) visit(static_cast<StackEnd>(i), samples_[i]);
  }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(StackEnd::count)> samples_{};
};

}  // namespace profile
