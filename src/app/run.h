// A run: takes the samples from the source, names them, and hands each finished profile and each sample to who wants
// them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/sink.h"
#include "app/stack_edits.h"
#include "model/profile.h"
#include "output/frame_report.h"
#include "process/timeline.h"
#include "sampling/source.h"
#include "support/event_loop.h"
#include "symbol/symboliser.h"

namespace profile {

class Run {
 public:
  // `run` goes into each profile. The rest must outlive this object. The source was made with SamplingOptions::rows and
  // each_sample as the sinks need it.
  Run(RunInfo run, const Sinks& sinks, Source& source, ProcessTimeline& timeline, Symboliser& symboliser);

  // Adds to `loop` the periodic work that must be done while samples come. `loop` must not run after this object is
  // destroyed.
  // `is_over`: the run ends now, and finish() will be called.
  void watch(EventLoop& loop, std::function<bool()> is_over);
  // Called when nothing can prevent the run from sampling any more: begins the sinks, which add to `loop` what they
  // wait for. Sampling began at `began_ns`, by CLOCK_MONOTONIC.
  void begin(std::uint64_t began_ns, EventLoop& loop);
  // Empties the buffers in the kernel. Called a few times a second, so that none of them is full before the next call.
  void relieve();
  // Names samples in code that is about to disappear (ProcessTimeline::any_expired()). False: not all samples could be
  // read yet.
  [[nodiscard]] bool name_expired();
  // Called now and then: takes and names the samples so far, so that less work is left at the end of the run.
  // `may_go_on` says whether there is still time to continue.
  void work_ahead(const std::function<bool()>& may_go_on);
  // Takes and writes the rest. The source has been stopped, and nothing was counted after `ended_ns`.
  void finish(std::uint64_t ended_ns);

  // Whether any output or viewer is left.
  [[nodiscard]] bool is_wanted() const;
  // Whether something could not be written. A reader that went away does not count.
  [[nodiscard]] bool has_failed() const;
  // The number of samples up to now, with those that wait in the kernel, and the number of distinct rows kept of them.
  [[nodiscard]] std::uint64_t samples() const;
  [[nodiscard]] std::uint64_t rows() const;
  // The account of all samples; complete after finish(). Those that nobody got are lost.
  [[nodiscard]] const Account& account() const { return account_; }
  // Lines for the user about the samples; valid after finish().
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  void begin_profile(std::uint64_t now_ns);
  void consume();
  // The same every few milliseconds, when each sample is wanted. It does not wait for a slow reader.
  void pump();
  // Names the samples that came since the last call, and hands over those whose turn it is. `all`: no more will come.
  void hand_samples(bool all);
  void begin_samples_profile();
  // Takes the samples since the last call. `ended_ns`: when the source stopped, for the last call; otherwise nullopt.
  void take(std::optional<std::uint64_t> ended_ns);
  // Begins the next profile, and hands this one, with what was kept before, to the sinks whose time has come.
  void pass_on(bool is_last);
  void pass_on_due();
  void await_due();
  void forget_unsampled();
  void give_memory_back();
  // The account of all samples up to now, with those that wait in the kernel.
  [[nodiscard]] Account so_far() const;
  // What the numbers of all samples up to now leave out, in lines for a reader of the profile.
  [[nodiscard]] std::vector<std::string> left_out();
  void count(StackId stack, StackId Row::*part, std::uint64_t samples);
  void report_counted();
  [[nodiscard]] bool wants_rows() const { return !receivers_.empty(); }
  [[nodiscard]] bool wants_samples() const { return !sinks_.of_samples.empty(); }
  // Whether samples are taken, named and passed on at least this often.
  [[nodiscard]] bool passes_on_within(double seconds) const;
  // How many samples the slowest sink has not passed on.
  [[nodiscard]] std::size_t behind() const;
  // How many samples such a sink will never pass on.
  [[nodiscard]] std::uint64_t unwritten() const;

  // A sink of profiles, and the samples that it has not got yet: one profile, or the sum of several.
  struct Receiver {
    ProfileSink* sink = nullptr;
    std::optional<double> asked_pace_s;
    std::uint64_t due_ns = 0;
    std::shared_ptr<const Profile> part;
    std::shared_ptr<Profile> sum;

    // nullopt: it waits for the end, or for nothing any more.
    [[nodiscard]] std::optional<double> pace_s() const { return sink->wants_more() ? asked_pace_s : std::nullopt; }
    void keep(const std::shared_ptr<const Profile>& profile);
    // Whether it is due; the next turn is one pace later.
    [[nodiscard]] bool take_turn(std::uint64_t now_ns);
    [[nodiscard]] std::shared_ptr<const Profile> take();
  };

  RunInfo run_;
  const Sinks& sinks_;
  std::vector<Receiver> receivers_;
  Source& source_;
  ProcessTimeline& timeline_;
  Symboliser& symboliser_;
  std::shared_ptr<Profile> profile_;  // takes the samples
  Account account_;                   // of the profiles before it
  FrameReport frame_report_;
  StackEdits edits_;
  std::vector<Sample> samples_;  // of profile_, not handed over yet
  std::size_t named_ = 0;        // of them
  std::vector<Sample> ready_;    // what is handed over; it stays, because a fresh one costs a page fault a page
  // Without rows: one for each stack, with the number of samples that have it. So each frame is looked at once.
  std::vector<Row> counted_;
  std::uint64_t taken_ns_ = 0;      // CLOCK_MONOTONIC: when the last part ended
  std::uint64_t gave_back_ns_ = 0;  // CLOCK_MONOTONIC: when memory was last given back
  std::function<void()> await_samples_;
  bool is_pump_due_ = false;
  Timer* due_timer_ = nullptr;
};

}  // namespace profile
