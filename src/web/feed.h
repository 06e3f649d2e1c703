// The thread behind the live view. It takes profiles from the session, which never waits for it, and makes all JSON and
// pprof for the clients.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "web/captures.h"
#include "web/events.h"
#include "web/history.h"
#include "web/metrics.h"
#include "web/view.h"

namespace profile {

class LiveFeed {
 public:
  // `longest_silence_ns`: see LiveOptions.
  LiveFeed(const RunInfo& run, std::uint64_t longest_silence_ns);
  ~LiveFeed() { close(); }

  // See LiveView. If the thread is too far behind, the profile is dropped and counted.
  void add(std::shared_ptr<const Profile> profile, const LiveView::Status& status);
  void end();
  // After end(): waits until all answers are made, for at most `patience`.
  void wait_for_answers(std::chrono::milliseconds patience);
  // Ends the feed and all running requests. After that no connection is paused, and none will be.
  void close();

  [[nodiscard]] LiveEvents& events() { return events_; }
  [[nodiscard]] LiveCaptures& captures() { return captures_; }
  [[nodiscard]] LiveFigures figures() const;
  // Whether the run goes on, and add() was called recently.
  [[nodiscard]] bool is_healthy() const;

 private:
  void count(const Profile& profile, const StackEndCounts& ends);
  struct Tick {
    std::shared_ptr<const Profile> profile;
    LiveView::Status status;
  };

  void run();
  void take(const Tick& tick);
  void serve();

  LiveHistory history_;  // used only by the thread
  LiveEvents events_;
  LiveCaptures captures_;
  std::uint64_t published_ns_ = 0;  // used only by the thread
  std::uint64_t longest_silence_ns_;

  mutable std::mutex mutex_;  // protects all below; lock order: the mutex of events_ first, then this one
  std::condition_variable changed_;
  std::deque<Tick> queue_;
  std::size_t queue_size_ = 0;  // sum of size_of() for the profiles in queue_
  std::uint64_t ended_ns_ = 0;
  LiveFigures figures_;
  std::uint64_t heard_ns_ = 0;
  std::uint64_t newly_skipped_ = 0;  // value of profiles that were dropped since the thread last looked
  Account skipped_account_;          // of these profiles
  bool is_woken_ = false;
  bool has_ended_ = false;
  bool has_answered_ = false;  // all answers at the end of the run are made
  std::thread thread_;         // the last member, because it uses all others
};

}  // namespace profile
