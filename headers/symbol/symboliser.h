// Puts names to the frames of a profile, all of a drain in one batch: addresses are grouped by the file they lie in,
// each file is read once for just those, and answers are remembered for the next drain (promise 5).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profile {

class FileReader;
class ProcessTimeline;

struct SymbolOptions {
  std::vector<std::string> debug_directories;  // looked at before /usr/lib/debug
  bool debuginfod = false;                     // ask the servers of the environment, too
  std::uint64_t budget = 1;                    // for files that are read at one time: so many times the usual one
  bool lines = false;                          // source positions and inlined functions
  bool repeated = false;                       // name() will be called many times: keep what makes the next time cheap
};

class Symboliser {
 public:
  // Both must outlive this.
  Symboliser(ProcessTimeline& timeline, FileReader& reader, const SymbolOptions& options);
  ~Symboliser();
  // After it no frame of `profile` is pending.
  void name(Profile& profile);
  // Names only what lies in files and perf maps that are leaving (ProcessTimeline::any_leaving()). May be called again
  // and again for a profile that grows, until name() is.
  void name_leaving(Profile& profile);
  // Names only what can be named without waiting, and so need not be when the run is over; what lies in JIT code, which
  // changes, and what cannot be read yet stay pending. `may_go_on` is asked between one file and the next. May be
  // called again and again likewise.
  void name_ready(Profile& profile, const std::function<bool()>& may_go_on);
  // Lines for the person about what it did not find, without newlines; the paths in them are strangers' words.
  [[nodiscard]] std::vector<std::string> notes() const;
  // More of them, for -v.
  [[nodiscard]] std::vector<std::string> details() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
