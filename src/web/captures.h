// Requests for a profile of the next seconds that are under way. Each adds up the ticks that begin after it came, and
// is answered when it has enough of them.
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
    std::size_t frames = 500'000;  // of one, each of its stacks counted as one more; it is answered early beyond that
    double patience_s = 10;        // beyond its seconds, when no ticks come
  };
  explicit LiveCaptures(const Limits& limits) : limits_(limits) {}

  class Capture {
   public:
    // The file; empty when the run ended before there was anything, or there was no memory. Of one that was answered.
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

  // `pause` stops the client's connection and `go_on`, from another thread, sets it going again once there is an
  // answer, or when `is_gone` says that nobody waits for it any more. Null when there are too many, or the run is over;
  // then nothing was called.
  std::shared_ptr<Capture> begin(std::uint32_t seconds, const std::function<void()>& pause, std::function<void()> go_on,
                                 std::function<bool()> is_gone);
  [[nodiscard]] std::size_t count() const;

  // For whoever has the ticks, from one thread.

  void add(const Profile& tick);
  // A tick that could not be looked at: its samples are lost to those that are under way, and their account says so.
  void skip(const Account& account);
  // Answers those that have waited too long, and forgets those nobody waits for.
  void tidy();
  // Answers all with what there is; no more after that.
  void end();

 private:
  // Answers those for which `is_done` says so.
  void answer(const std::function<bool(const Capture&)>& is_done);

  Limits limits_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Capture>> captures_;
  bool has_ended_ = false;
};

}  // namespace profile
