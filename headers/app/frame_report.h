// How well a profile could be named: frames without a name by reason, and user stacks that end before any root
// function, with the files that are probably to blame. Pure: reads a symbolised Profile.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profile {

class FrameReport {
 public:
  // Adds what `profile` holds. Frames and stacks count once for each sample that has them.
  void add(const Profile& profile);
  // Lines for the summary, without newlines; none when there is nothing to say.
  [[nodiscard]] std::vector<std::string> lines() const;

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t unnamed(Unnamed reason) const { return unnamed_[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] std::uint64_t user_stacks() const { return user_stacks_; }
  [[nodiscard]] std::uint64_t rootless() const { return rootless_; }

 private:
  void add_user_stack(const Profile& profile, std::span<const FrameId> leaf_first, std::uint64_t samples);

  std::uint64_t frames_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(Unnamed::count)> unnamed_{};
  std::uint64_t user_stacks_ = 0;
  std::uint64_t rootless_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> suspects_;  // module of the last frame that can be trusted, samples
};

}  // namespace profile
