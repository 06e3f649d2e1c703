// The interface of what receives the finished profiles of a run: the reports, the live page, the terminal view.
#pragma once

#include <memory>
#include <optional>

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
  // The run is over; the last profile was added.
  virtual void end() {}

  // Whether anything is left that receives profiles.
  [[nodiscard]] virtual bool is_open() const = 0;
  // Whether it has a use for more profiles, also while none is left that receives them.
  [[nodiscard]] virtual bool wants_more() const { return is_open(); }
  // How often it wants a profile, in seconds. nullopt: only one, at the end. The last profile always comes at the end.
  [[nodiscard]] virtual std::optional<double> pace_s() const { return std::nullopt; }
  // Whether something could not be written. A reader that went away does not count.
  [[nodiscard]] virtual bool has_failed() const { return false; }
};

}  // namespace profile
