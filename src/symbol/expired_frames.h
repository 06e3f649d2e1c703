// Finds the frames of a profile that must be named before all others, because the file or the perf map with their names
// is about to be closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/profile.h"

namespace profile {

class CodeFile;
class ProcessTimeline;

class ExpiredFrames {
 public:
  // The frames of `profile` that wait for a name from something that is expired. `profile` may have grown since the
  // last call.
  [[nodiscard]] std::vector<Frame*> take(Profile& profile, const ProcessTimeline& timeline);
  // Call this when the profile was named, or when another profile follows.
  void clear();

 private:
  void sort(const Profile& profile, const ProcessTimeline& timeline);

  using Indices = std::vector<std::size_t>;  // of frames
  std::size_t sorted_ = 0;                   // how many of the profile's frames were looked at
  std::unordered_map<const CodeFile*, Indices> by_file_;
  std::unordered_map<std::uint32_t, Indices> by_process_;  // frames in code of no file, by tgid
};

}  // namespace profile
