// The messages of a run to the user, besides its reports. They are lines on stderr that do not mix with the progress
// line, and they are held back while the view of --top uses the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace profile {

// The progress line of a run on a terminal. It is erased at the end.
class Progress {
 public:
  // Does nothing unless `enabled` and stderr is a terminal.
  explicit Progress(bool enabled);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  [[nodiscard]] bool is_shown() const { return shown_; }
  void show(double elapsed_s, std::optional<double> total_s, std::uint64_t samples, std::uint64_t stacks);
  void clear();

 private:
  bool shown_;
  bool on_screen_ = false;
};

class Messages {
 public:
  // `progress` must outlive this object. With `quiet` note() prints nothing.
  Messages(Progress& progress, bool quiet) : progress_(progress), quiet_(quiet) {}
  ~Messages() { release(); }  // prints held lines also when an error has ended the run
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // Prints an important line. Names in it may come from untrusted programs.
  void say(const std::string& text);
  // Prints a line that -q leaves out.
  void note(const std::string& text);
  void note(const std::vector<std::string>& lines);

  // The terminal has echoed a key: what comes next begins in a line of its own.
  void begin_line();

  // From here on lines are held, only the latest hundred of them, until release() prints them.
  void hold() { is_held_ = true; }
  void release();

 private:
  Progress& progress_;
  bool quiet_;
  bool is_held_ = false;
  std::deque<std::string> unsaid_;
  std::size_t left_out_ = 0;
};

}  // namespace profile
