// What becomes of the samples of a run: they are collected and reported, or written one by one as a stream.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/profile.h"
#include "support/event_loop.h"

namespace profile {

class SampleConsumer {
 public:
  virtual ~SampleConsumer() = default;

  // Has `loop` call what must be done again and again while samples come; `loop` must not run once this is gone.
  virtual void watch(EventLoop& loop) = 0;
  // Prints what stands above all samples. Once nothing can keep the run from sampling any more. Sampling began at
  // `began_ns`, by CLOCK_MONOTONIC.
  virtual void begin(std::uint64_t began_ns) = 0;
  // So often that nothing which fills up in the kernel is full before the next time: a few times a second.
  virtual void relieve() = 0;
  // Names what was sampled in code that is about to go (ProcessTimeline::any_leaving()). False: not all of it could be
  // read yet.
  [[nodiscard]] virtual bool name_leaving() = 0;
  // Takes and names what there is by now, so that it need not be done when the run is over; now and then, `may_go_on`
  // says whether it still goes on.
  virtual void work_ahead(const std::function<bool()>& may_go_on) = 0;
  // At the end of an interval, when the source goes on.
  virtual void report_interval() = 0;
  // Takes and writes the rest; the source has been stopped. Nothing was counted after `ended_ns`.
  virtual void finish(std::uint64_t ended_ns) = 0;

  // Whether anybody is left to write or to show to.
  [[nodiscard]] virtual bool is_wanted() const = 0;
  // Whether something could not be written; a reader that went away does not count.
  [[nodiscard]] virtual bool has_failed() const = 0;
  // Up to now, those that wait in the kernel included, and the distinct rows of them that are kept.
  [[nodiscard]] virtual std::uint64_t samples() const = 0;
  [[nodiscard]] virtual std::uint64_t rows() const = 0;
  // Of all that was taken, complete once finish() was called.
  [[nodiscard]] virtual const Account& account() const = 0;
  // Lines for the person about what was taken, once finish() was called.
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
};

}  // namespace profile
