// The running requests for a profile of the next seconds. Each request adds up the ticks that begin after it arrived,
// and it is answered when it has enough of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model/profile.h"
#include "web/requests.h"

namespace profile {

class LiveCaptures {
 public:
  // Belongs to the thread of the ticks until the capture is answered.
  struct Capture {
    std::uint64_t began_ns = 0;  // monotonic
    std::uint64_t wanted_ns = 0;
    std::vector<std::uint32_t> tgids;  // empty: all processes
    std::function<void()> go_on;
    std::function<bool()> is_gone;
    std::unique_ptr<Profile> profile;
    // The pprof file; empty when the run ended before there were samples, or when there was no memory.
    std::string answer;
  };

  // `pause` suspends the client's connection. `go_on` is called from another thread and resumes it, when there is an
  // answer or when `is_gone` says that the client has gone. Returns null when there are too many captures or the run is
  // over; then none of the functions is called.
  std::shared_ptr<Capture> begin(CaptureQuery query, const std::function<void()>& pause, std::function<void()> go_on,
                                 std::function<bool()> is_gone);
  [[nodiscard]] std::size_t count() const;

  // The following are called by the one thread that has the ticks.

  void add(const Profile& tick);
  // A tick was skipped: its samples are lost for the running captures, and their accounts say so.
  void skip(const Account& account);
  // Answers captures that have waited too long, and ends captures whose client has gone.
  void tidy();
  // Answers all captures with the samples so far. No new ones can begin after that.
  void end();

 private:
  // Answers the captures for which `is_done` returns true.
  void answer(const std::function<bool(const Capture&)>& is_done);

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Capture>> captures_;
  bool has_ended_ = false;
};

}  // namespace profile
