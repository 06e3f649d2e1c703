// Puts names to the frames of a profile, all of a drain in one batch: addresses are grouped by the file they lie in, each
// file is read once for just those, and answers are remembered for the next drain (promise 5).
#pragma once

#include <memory>

#include "model/profile.h"

namespace profile {

class ProcessTimeline;

class Symboliser {
 public:
  explicit Symboliser(ProcessTimeline& timeline);
  ~Symboliser();
  // After it no frame of `profile` is pending.
  void name(Profile& profile);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
