// Gives names to the frames of a profile, all frames of a drain in one batch. It groups addresses by the file that they
// lie in, reads each file once for just those addresses, and remembers the answers for the next drain (promise 5).
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
  bool debuginfod = false;                     // ask the debuginfod servers of the environment, too
  std::uint64_t budget = 1;                    // for files that are read in one batch: so many times the usual one
  bool lines = false;                          // source positions and inlined functions
  bool repeated = false;                       // name() will be called many times: keep what makes the next time cheap
};

class Symboliser {
 public:
  // Both must outlive this.
  Symboliser(ProcessTimeline& timeline, FileReader& reader, const SymbolOptions& options);
  ~Symboliser();
  // Afterwards no frame of `profile` is pending.
  void name(Profile& profile);
  // Names the variables in the tables of durations, locks for example, as far as files with symbols hold them.
  void name_data(Profile& profile);
  // Names only frames in files and perf maps that are expired (ProcessTimeline::any_expired()). It may be called
  // repeatedly for a profile that grows, until name() is called.
  void name_expired(Profile& profile);
  // Names only frames that can be named without waiting, so that less is left for the end of the run. Frames in JIT
  // code, which changes, and frames that cannot be read yet stay pending. `may_go_on` is called between one file and
  // the next. Like name_expired(), it may be called repeatedly.
  void name_ready(Profile& profile, const std::function<bool()>& may_go_on);
  // Lines for the user about what it did not find, without newlines. The paths in them come from untrusted files.
  [[nodiscard]] std::vector<std::string> notes() const;
  // More such lines, for -v.
  [[nodiscard]] std::vector<std::string> details() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
