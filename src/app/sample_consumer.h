// What a run does with its samples: collect and report them, or write them one by one as a stream.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/profile.h"
#include "output/frame_report.h"
#include "process/timeline.h"
#include "sampling/source.h"
#include "support/event_loop.h"
#include "symbol/symboliser.h"

namespace profile {

class SampleConsumer {
 public:
  // `run` goes into each profile. The rest must outlive this object.
  SampleConsumer(RunInfo run, Source& source, ProcessTimeline& timeline, Symboliser& symboliser)
      : run_(std::move(run)), source_(source), timeline_(timeline), symboliser_(symboliser) {}
  virtual ~SampleConsumer() = default;

  // Adds the periodic work to `loop` that must be done while samples come. `loop` must not run after this object is
  // destroyed.
  virtual void watch(EventLoop& loop) = 0;
  // Prints the text that stands above all samples. Called when nothing can prevent the run from sampling any more.
  // Sampling began at `began_ns`, by CLOCK_MONOTONIC.
  virtual void begin(std::uint64_t began_ns) = 0;
  // Empties the buffers in the kernel. Called a few times a second, so that none of them is full before the next call.
  virtual void relieve() = 0;
  // Names samples in code that is about to disappear (ProcessTimeline::any_expired()). False: not all samples could be
  // read yet.
  [[nodiscard]] virtual bool name_expired() = 0;
  // Called now and then: takes and names the samples so far, so that less work is left at the end of the run.
  // `may_go_on` says whether there is still time to continue. A stream does nothing here.
  virtual void work_ahead(const std::function<bool()>& /*may_go_on*/) {}
  // Called at the end of an interval, while the source continues.
  virtual void report_interval() {}
  // Takes and writes the rest. The source has been stopped, and nothing was counted after `ended_ns`.
  virtual void finish(std::uint64_t ended_ns) = 0;

  // Whether any output or viewer is left.
  [[nodiscard]] virtual bool is_wanted() const = 0;
  // Whether something could not be written. A reader that went away does not count.
  [[nodiscard]] virtual bool has_failed() const = 0;
  // The number of samples up to now, with those that wait in the kernel, and the number of distinct rows kept of them.
  [[nodiscard]] std::uint64_t samples() const {
    return account_.taken + profile_->account.taken + source_.pending_samples();
  }
  [[nodiscard]] virtual std::uint64_t rows() const { return 0; }
  // The account of all samples; complete after finish(). Those that could not be written are lost.
  [[nodiscard]] const Account& account() const { return account_; }
  // Lines for the user about the samples; valid after finish().
  [[nodiscard]] std::vector<std::string> notes() const { return frame_report_.lines(); }

 protected:
  // Facts about ended processes that no sample needs are forgotten after this time, so that a run of hours does not
  // grow. Samples in the kernel, or that wait to be named, are younger.
  static constexpr double memory_s = 30;

  RunInfo run_;
  Source& source_;
  ProcessTimeline& timeline_;
  Symboliser& symboliser_;
  std::shared_ptr<Profile> profile_;  // takes the samples
  Account account_;                   // of the profiles before it
  FrameReport frame_report_;
};

}  // namespace profile
