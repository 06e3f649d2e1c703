// Puts names to the frames of a profile, all of a drain in one batch: addresses are grouped by the file they lie in,
// each file is read once for just those, and answers are remembered for the next drain (promise 5).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profile {

class ProcessTimeline;

struct SymbolOptions {
  std::vector<std::string> debug_directories;  // looked at before /usr/lib/debug
  bool debuginfod = false;                     // ask the servers of the environment, too
  bool lines = false;                          // source positions and inlined functions
  bool repeated = false;                       // name() will be called many times: keep what makes the next time cheap
};

class Symboliser {
 public:
  // Throws Error when debuginfod is asked for and cannot be had.
  Symboliser(ProcessTimeline& timeline, const SymbolOptions& options);
  ~Symboliser();
  // After it no frame of `profile` is pending.
  void name(Profile& profile);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
