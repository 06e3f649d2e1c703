// How well a profile could be named and walked: frames without a name by reason, and user stacks that are not whole:
// why, where it was told, otherwise those that end before any root function; with the files that are probably to blame.
// Pure: reads a symbolised Profile whose stacks are believable (model/stack_roots.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/profile.h"
#include "model/stack_end.h"

namespace profile {

class FrameReport {
 public:
  // Adds what `profile` holds. Frames and stacks count once for each sample that has them.
  void add(const Profile& profile);
  // Adds one row of it, or what is one but for its process and its value.
  void add(const Profile& profile, const Row& row);
  // Lines for the summary, without newlines; none when there is nothing to say.
  [[nodiscard]] std::vector<std::string> lines() const;

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t unnamed(Unnamed reason) const { return unnamed_[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] std::uint64_t user_stacks() const { return ends_.all(); }
  [[nodiscard]] const StackEndCounts& ends() const { return ends_; }
  // Of those that nobody told how they ended.
  [[nodiscard]] std::uint64_t rootless() const { return rootless_; }

 private:
  // Module of the last frame that can be trusted, samples.
  using Suspects = std::map<std::string, std::uint64_t, std::less<>>;

  void add_user_stack(const Profile& profile, const Row& row);
  [[nodiscard]] std::string incomplete_line() const;
  static std::string worst_of(const Suspects& suspects);

  std::uint64_t frames_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(Unnamed::count)> unnamed_{};
  StackEndCounts ends_;
  std::uint64_t rootless_ = 0;
  Suspects without_root_;
  Suspects without_cfi_;
};

}  // namespace profile
