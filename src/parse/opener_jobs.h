// Does what the opener is asked to do. Everything here may wait for ever, so only the opener's threads do it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "children/wire.h"
#include "parse/debug_file_search.h"
#include "parse/opener_calls.h"
#include "parse/opener_files.h"
#include "process/file_opener.h"
#include "process/user_namespaces.h"

namespace profile {

struct OpenerJob {
  std::uint64_t id = 0;  // number of the question
  OpenerCall call = OpenerCall::count;
  std::string rest;
  bool is_again = false;  // a close that was put off before
};

// Each thread has its own.
class OpenerJobs {
 public:
  // Called with the owner of the files before a job touches them. False: the job is kept for later. `has_begun`: the
  // job has already begun, so it is never kept; the result is true.
  using Begin = std::function<bool(const FileOwner&, bool has_begun)>;
  OpenerJobs(OpenerFiles& files, const DebugFileSearch& places, Begin begin);
  // Does the job and answers it, now or when it runs again.
  void run(const OpenerJob& job);

 private:
  // False: the job was refused, or it comes again.
  [[nodiscard]] bool is_turn_of(const OpenerJob& job, const FileOwner& owner);
  [[nodiscard]] FileOwner owner_of(std::uint32_t tgid, std::uint64_t part) const;
  // `status`: the text of its /proc/PID/status; empty when it is gone.
  [[nodiscard]] FileOwner owner_of(std::uint32_t tgid, std::string_view status, std::uint64_t part) const;
  // Sends a reason, and what else the answer holds.
  template <class... Values>
  void answer(const OpenerJob& job, FileFault reason, const Values&... values) {
    files_.answer(message_of(job.id, reason, values...));
  }
  void open(const OpenerJob& job, WireReader& in);
  void state(const OpenerJob& job, WireReader& in);
  void hand(const OpenerJob& job, WireReader& in);
  void close(const OpenerJob& job);
  void debug(const OpenerJob& job, WireReader& in);
  void perf_map(const OpenerJob& job, WireReader& in);
  void size(const OpenerJob& job, WireReader& in);
  void path(const OpenerJob& job, WireReader& in);
  void look(const OpenerJob& job, WireReader& in);
  void stacks(const OpenerJob& job, WireReader& in);

  OpenerFiles& files_;
  const DebugFileSearch& places_;
  Begin begin_;
  FileOpener opener_;
  ContentOwners owners_;
  UserNamespaces namespaces_;
};

}  // namespace profile
