// The stream of events for the clients of the page: one text per tick, made once and shared by all readers. Only a
// limited number of texts is kept. A reader that falls behind them gets a snapshot instead, so the stream never waits
// for a slow reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/clock.h"

namespace profile {

class LiveEvents {
 public:
  using Text = std::shared_ptr<const std::string>;
  struct Limits {
    std::size_t texts = 60;                    // kept for readers that are behind
    std::size_t bytes = std::size_t{8} << 20;  // of these texts; the latest text is kept whatever its size
    std::size_t readers = 16;
    std::size_t snapshots = 3;  // in memory at the same time; a reader that needs another one waits
    double patience_s = 60;     // for a reader to read a snapshot
  };
  // `now_ns` is a clock that never goes back; it measures the patience.
  explicit LiveEvents(const Limits& limits, std::function<std::uint64_t()> now_ns = monotonic_ns)
      : limits_(limits), now_ns_(std::move(now_ns)) {}

  // The following are for the thread that makes the events.

  // `json` is for readers that have a snapshot and all texts published since.
  void publish(std::string_view json);
  // All texts published so far are invalid now, and every reader needs a snapshot.
  void reset();
  // Publishes a comment, so that proxies and browsers do not take an idle connection for dead.
  void publish_comment();
  // Whether a reader waits for a snapshot and there is room for it.
  [[nodiscard]] bool wants_snapshot();
  // `json` contains everything published so far.
  void set_snapshot(std::string json);
  // Publishes the last event; nothing follows it.
  void end();
  // Ends all readers, even if they have not read everything.
  void close();
  // `wanted` is called from a reader's thread when wants_snapshot() may have become true.
  void on_wanted(std::function<void()> wanted) { wanted_ = std::move(wanted); }

  struct Counts {
    std::size_t readers = 0;
    std::uint64_t refused = 0;  // readers that were refused because there were too many
    std::uint64_t resets = 0;   // snapshots sent in place of missed events
    std::uint64_t dropped = 0;  // readers that took too long to read a snapshot
  };
  [[nodiscard]] Counts counts() const;

  // One client; used by one thread at a time. It must not outlive the events.
  class Reader {
   public:
    // `pause` suspends the client's connection; `go_on` resumes it from another thread.
    Reader(LiveEvents& events, std::function<void()> pause, std::function<void()> go_on);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Whether there was room for this reader. If not, it can read nothing.
    [[nodiscard]] bool is_admitted() const { return is_admitted_; }
    enum class State { some, paused, over };
    // Copies at most `size` bytes into `buffer`, and sets `size` to their number. `paused`: there was nothing to read;
    // pause() has been called, and go_on() will be called.
    State read(char* buffer, std::size_t& size);

   private:
    friend class LiveEvents;
    State next();
    bool take_snapshot();

    LiveEvents& events_;
    std::function<void()> pause_;
    std::function<void()> go_on_;
    bool is_admitted_ = false;
    bool is_paused_ = false;
    bool needs_snapshot_ = true;
    bool has_had_one_ = false;
    std::uint64_t position_ = 0;  // number of the next text
    std::string head_;            // the current event is head_ and then text_
    Text text_;
    std::size_t done_ = 0;          // bytes of the current event that were copied
    std::uint64_t give_up_ns_ = 0;  // when the reader has taken too long; 0: no limit
  };

 private:
  [[nodiscard]] std::uint64_t end_number() const { return first_number_ + texts_.size(); }
  void push(std::string text);
  // Calls `change` with mutex_ held, and then resumes the paused readers without it.
  template <class Change>
  void wake_after(const Change& change);

  Limits limits_;
  std::function<std::uint64_t()> now_ns_;
  std::function<void()> wanted_;
  mutable std::mutex mutex_;
  std::vector<Reader*> readers_;
  std::deque<Text> texts_;
  std::size_t bytes_ = 0;
  std::uint64_t first_number_ = 1;  // number of the first of texts_
  Text snapshot_;
  std::uint64_t snapshot_number_ = 0;  // number of the text that follows the snapshot
  std::vector<std::weak_ptr<const std::string>> snapshots_;
  bool is_wanted_ = false;
  bool has_ended_ = false;
  bool is_closed_ = false;
  Counts counts_;
};

}  // namespace profile
