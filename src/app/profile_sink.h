// The interface of what receives the finished profiles of a run: the reports, the live page, the terminal view.
#pragma once

#include <memory>

#include "model/profile.h"
#include "sampling/source.h"
#include "support/event_loop.h"

namespace profile {

// Since the start of the run.
struct RunStatus {
  const Account& account;
  BpfCost cost;
};

class ProfileSink {
 public:
  virtual ~ProfileSink() = default;

  // Adds to `loop` what this sink waits for. `loop` must not run after this object is destroyed.
  virtual void watch(EventLoop& /*loop*/) {}
  // Called when nothing can prevent the run from sampling any more.
  virtual void begin(const RunInfo& /*run*/) {}
  // `profile` holds the samples since the last call, named. It does not change afterwards.
  virtual void add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) = 0;
  // An interval is over: the samples that were added since the last call belong together.
  virtual void end_interval() {}
  // The run is over, and so is its last interval.
  virtual void end() {}

  // Whether anything is left that receives profiles.
  [[nodiscard]] virtual bool is_open() const = 0;
  // Whether it receives a profile each second, and not only at the end of an interval.
  [[nodiscard]] virtual bool is_live() const { return false; }
  // Whether something could not be written. A reader that went away does not count.
  [[nodiscard]] virtual bool has_failed() const { return false; }
};

}  // namespace profile
