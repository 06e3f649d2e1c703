// The running requests for a profile of the next seconds. Each request adds up the ticks that begin after it arrived,
// and it is answered when it has enough of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/profile.h"

namespace profile {

class LiveCaptures {
 public:
  struct Limits {
    std::size_t captures = 4;
    std::size_t frames = 500'000;  // frames plus stacks of one capture; beyond that it is answered early
    double patience_s = 10;        // waiting time after its seconds, when no ticks come
  };
  explicit LiveCaptures(const Limits& limits) : limits_(limits) {}

  class Capture {
   public:
    // The pprof file; empty when the run ended before there were samples, or when there was no memory. Valid after the
    // capture was answered.
    [[nodiscard]] const std::string& answer() const { return answer_; }
    [[nodiscard]] std::string take_answer() { return std::move(answer_); }

   private:
    friend class LiveCaptures;
    std::uint64_t began_ns_ = 0;  // monotonic
    std::uint64_t wanted_ns_ = 0;
    std::function<void()> go_on_;
    std::function<bool()> is_gone_;
    std::unique_ptr<Profile> profile_;
    std::string answer_;
  };

  // `pause` suspends the client's connection. `go_on` is called from another thread and resumes it, when there is an
  // answer or when `is_gone` says that the client has gone. Returns null when there are too many captures or the run is
  // over; then none of the functions is called.
  std::shared_ptr<Capture> begin(std::uint32_t seconds, const std::function<void()>& pause, std::function<void()> go_on,
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

  Limits limits_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Capture>> captures_;
  bool has_ended_ = false;
};

}  // namespace profile
