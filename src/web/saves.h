// The requests for a recording of the last seconds. The recorder makes it on its own thread; the client's connection is
// suspended until then.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "web/view.h"

namespace profile {

class LiveSaves {
 public:
  struct Save {
    std::string answer;  // the file; empty when there is none
    std::function<void()> go_on;
  };

  explicit LiveSaves(SaveRecording save);
  // Whether there is anything to save from.
  [[nodiscard]] bool is_possible() const { return static_cast<bool>(save_); }
  // `pause` suspends the client's connection. `go_on` is called from another thread, once, and resumes it: the answer
  // is there. Returns null when too many wait or the run is over; then neither is called.
  std::shared_ptr<Save> begin(double last_s, const std::function<void()>& pause, std::function<void()> go_on);
  // All that wait go on without an answer. No new ones can begin.
  void end();

 private:
  // Outlives this object until the recorder has called back.
  struct Waiting;

  SaveRecording save_;
  std::shared_ptr<Waiting> waiting_;
};

}  // namespace profile
