// The stream of events as its readers take it: one text a tick, made once and shared by all of them. What a reader has
// not taken is not kept for it alone; who falls behind what is kept for all gets a snapshot instead, and nobody is
// waited for.
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
    std::size_t texts = 60;  // kept for readers that are behind; the latest is kept whatever its size
    std::size_t bytes = std::size_t{8} << 20;
    std::size_t readers = 16;
    std::size_t snapshots = 3;  // in memory at the same time; who needs one more waits
    double patience_s = 60;     // for a reader to take one
  };
  // `now_ns` counts up, for the patience.
  explicit LiveEvents(const Limits& limits, std::function<std::uint64_t()> now_ns = monotonic_ns)
      : limits_(limits), now_ns_(std::move(now_ns)) {}
  LiveEvents(const LiveEvents&) = delete;
  LiveEvents& operator=(const LiveEvents&) = delete;

  // For whoever makes the events.

  // `json` is for those who have a snapshot and all that was published since.
  void publish(std::string_view json);
  // What was published so far means nothing any more; everybody needs a snapshot.
  void reset();
  // Something to read for connections that would be taken for dead else.
  void publish_comment();
  // Whether somebody waits for a snapshot and there is room for it.
  [[nodiscard]] bool wants_snapshot();
  // Everything published so far is in it.
  void set_snapshot(std::string json);
  // The last event; no more of anything.
  void end();
  // Ends all readers, whatever they have not read.
  void close();
  // Called, from a reader's thread, when wants_snapshot() may have become true.
  void on_wanted(std::function<void()> wanted) { wanted_ = std::move(wanted); }

  struct Counts {
    std::size_t readers = 0;
    std::uint64_t refused = 0;  // there were too many
    std::uint64_t resets = 0;   // snapshots in the place of events that were missed
    std::uint64_t dropped = 0;  // out of patience
  };
  [[nodiscard]] Counts counts() const;

  // One client; used by one thread at a time. It must not outlive the events.
  class Reader {
   public:
    // `pause` stops the client's connection and `go_on` sets it going again, from another thread.
    Reader(LiveEvents& events, std::function<void()> pause, std::function<void()> go_on);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Whether there was room for it; if not, there is nothing to read.
    [[nodiscard]] bool is_admitted() const { return is_admitted_; }
    enum class State { some, paused, over };
    // Puts what there is into `buffer`, `size` bytes at most, and sets `size` to how many. `paused`: there was nothing,
    // pause() has been called, and go_on() will be.
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
    std::uint64_t position_ = 0;  // number of the text that comes next
    std::string head_;            // what is being read: this, then the text
    Text text_;
    std::size_t done_ = 0;
    std::uint64_t give_up_ns_ = 0;  // when it will have taken too long; 0: whenever
  };

 private:
  [[nodiscard]] std::uint64_t end_number() const { return first_number_ + texts_.size(); }
  void push(std::string text);
  // Those that are paused, to be set going once mutex_ is free.
  [[nodiscard]] std::vector<std::function<void()>> paused();
  [[nodiscard]] std::size_t snapshots_in_use();

  Limits limits_;
  std::function<std::uint64_t()> now_ns_;
  std::function<void()> wanted_;
  mutable std::mutex mutex_;
  std::vector<Reader*> readers_;
  std::deque<Text> texts_;
  std::size_t bytes_ = 0;
  std::uint64_t first_number_ = 1;  // of texts_
  Text snapshot_;
  std::uint64_t snapshot_number_ = 0;  // of the text that comes behind it
  std::vector<std::weak_ptr<const std::string>> snapshots_;
  bool is_wanted_ = false;
  bool has_ended_ = false;
  bool is_closed_ = false;
  Counts counts_;
};

}  // namespace profile
