// What a run has to say to the person beside its reports: lines on stderr, past the progress line, and kept back while
// the terminal is the view's.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "app/progress.h"

namespace profile {

class Messages {
 public:
  // `progress` must outlive it. `quiet`: note() says nothing.
  Messages(Progress& progress, bool quiet) : progress_(progress), quiet_(quiet) {}
  ~Messages() { release(); }  // where an error has ended the run
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // A line that has to be said. Names in it may be anybody's.
  void say(const std::string& text);
  // One that -q leaves out.
  void note(const std::string& text);

  // From here on lines are kept, the latest hundred of them, until release() says them.
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
