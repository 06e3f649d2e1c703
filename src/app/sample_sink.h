// The interface of what receives each sample of a run, as the stream does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/profile.h"
#include "model/sample.h"
#include "support/event_loop.h"

namespace profile {

class SampleSink {
 public:
  virtual ~SampleSink() = default;

  // Adds to `loop` what this sink waits for. `loop` must not run after this object is destroyed.
  virtual void watch(EventLoop& /*loop*/) {}
  // Called when nothing can prevent the run from sampling any more.
  virtual void begin(const RunInfo& run) = 0;
  // Takes samples in the order of time, named, with the stacks that are shown. Their ids belong to `profile`, in which
  // an id of a stack always means the same stack. More is added to the profile later, and after some time another one
  // follows.
  virtual void add(const std::shared_ptr<const Profile>& profile, const std::vector<Sample>& samples) = 0;
  // The run is over. Waits a little for what takes the samples.
  virtual void end() = 0;

  // Whether anything is left that receives samples.
  [[nodiscard]] virtual bool is_open() const = 0;
  // How many samples were added that could not be passed on yet. While there are some, the next ones had better wait in
  // the kernel's ring, where no memory grows.
  [[nodiscard]] virtual std::size_t behind() const { return 0; }
  // How many samples were added that will never be passed on, because what takes them is too slow.
  [[nodiscard]] virtual std::uint64_t lost() const { return 0; }
  // Whether something could not be written. A reader that went away does not count.
  [[nodiscard]] virtual bool has_failed() const { return false; }
};

}  // namespace profile
