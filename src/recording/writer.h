// The thread that writes ticks into the database, one transaction each, and removes the oldest when there are too many.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "model/profile.h"
#include "recording/database.h"
#include "recording/recording.h"
#include "recording/tick.h"

namespace profile {

// The one row of the table `runs`.
struct RunRow {
  std::string host;
  std::string kernel;
  std::uint64_t began_unix_ns = 0;
};

class TickWriter {
 public:
  // Makes the tables in a file that is empty, and nobody else writes. Throws Error.
  TickWriter(const std::string& path, const RecordingLimits& limits);
  // Ends the thread. What it has not begun to write is lost.
  ~TickWriter();

  // Writes the row of the run, and starts the thread.
  void begin(const std::vector<RecordedEvent>& events, const RunRow& row);
  void add(std::unique_ptr<Tick> tick);
  // Memory of a tick that was written, for the next one: fresh memory costs a page fault a page.
  [[nodiscard]] std::vector<Tick::Sample> take_spare();
  // As SampleRecorder::save(), after the ticks that were added before.
  void save(double last_s, SavedRecording done);
  // Waits until all is written. The last tick was added.
  void finish();

  [[nodiscard]] std::size_t waiting_samples() const;
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] std::optional<std::string> error() const;
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t removed() const;
  // Whether so much has been written since the last chapter began that another one should begin.
  [[nodiscard]] bool wants_chapter() const;

 private:
  struct Chapter {
    std::uint64_t first_key = 0;  // of its samples
    Tick::Chapter first;
  };
  struct Statements;
  struct Wish {
    double last_s = 0;
    SavedRecording done;
  };

  void write_ticks();
  void grant(const Wish& wish);
  void write(const Tick& tick);
  void add_event(std::uint32_t number);
  void add_content(const Tick& tick);
  void add_accounts(const Tick& tick);
  void add_samples(const Tick& tick);
  void add_newest(std::span<const Tick::Sample> samples, Statement& to);
  void add_late(const Tick::Sample& sample);
  void note_chapter(const Tick& tick);
  void remove_oldest(const Tick& newest);
  void remove_first_tick();
  void remove_chapter();
  void complete();
  void fail(const std::string& why);
  [[nodiscard]] std::uint64_t used_bytes();

  RecordingLimits limits_;
  std::vector<RecordedEvent> events_;
  Database database_;  // used by the thread from begin() to finish()
  std::unique_ptr<Statements> statements_;
  std::deque<Chapter> chapters_;
  std::uint64_t last_key_ = 0;       // the largest one
  std::uint64_t chapter_bytes_ = 0;  // used when the chapter began
  std::uint64_t chapter_us_ = 0;

  mutable std::mutex mutex_;  // for what follows
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Tick>> ticks_;
  std::deque<Wish> wishes_;
  bool takes_wishes_ = false;  // while the thread runs
  std::vector<Tick::Sample> spare_;
  std::size_t waiting_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t removed_ = 0;
  bool wants_chapter_ = false;
  bool is_over_ = false;
  std::optional<std::string> error_;
  std::thread thread_;
};

}  // namespace profile
