// The thread behind the live view: takes what was sampled from the session, which it never keeps waiting, and makes of
// it what clients are told. All JSON and all pprof is made here.
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
  // `longest_silence_ns`: as LiveOptions'.
  LiveFeed(const RunInfo& run, std::uint64_t longest_silence_ns);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  // As LiveView's. The profile is dropped, and counted, when the thread is too far behind.
  void add(std::shared_ptr<const Profile> profile, const LiveView::Status& status);
  void end();
  // After end(): waits until all answers are made, for so long at most.
  void wait_for_answers(std::chrono::milliseconds patience);
  // Ends it and everything that is under way; nobody is paused any more, nor ever again.
  void close();

  [[nodiscard]] LiveEvents& events() { return events_; }
  [[nodiscard]] LiveCaptures& captures() { return captures_; }
  [[nodiscard]] LiveFigures figures() const;
  // Whether the run goes on, and has been heard of lately.
  [[nodiscard]] bool is_healthy() const;

 private:
  struct Tick {
    std::shared_ptr<const Profile> profile;
    LiveView::Status status;
  };

  void run();
  void take(const Tick& tick);
  void serve();
  void wake();

  LiveHistory history_;  // the thread's alone
  LiveEvents events_;
  LiveCaptures captures_;
  std::uint64_t published_ns_ = 0;  // the thread's alone
  std::uint64_t longest_silence_ns_;

  mutable std::mutex mutex_;  // of all below; taken while that of events_ is held, never the other way round
  std::condition_variable changed_;
  std::deque<Tick> queue_;
  std::size_t queue_size_ = 0;  // of what is in it
  std::uint64_t ended_ns_ = 0;
  LiveFigures figures_;
  std::uint64_t heard_ns_ = 0;
  std::uint64_t newly_skipped_ = 0;
  Account skipped_account_;  // of the same
  bool is_woken_ = false;
  bool has_ended_ = false;
  bool has_answered_ = false;  // what there was to answer at the end
  std::thread thread_;         // the last, because it uses all the others
};

}  // namespace profile
