// What the sources share that time something and add it up by name besides: their samples are spans, worth
// microseconds, and a table of durations stands beside the stacks.
#pragma once

#include <string>
#include <vector>

#include "sampling/duration_rows.h"
#include "sampling/recorder.h"
#include "sampling/source.h"
#include "sampling/traced.h"

namespace profile {

class DurationSource : public Source {
 public:
  void start() final { programs_.attach(); }
  void stop() final { programs_.detach(); }
  void set_cpus(const CpuList&) final {}
  Recorder& recorder() final { return recorder_; }
  void make_room(ProcessTimeline& timeline, Profile& into) final;
  void collect(ProcessTimeline& timeline, Profile& into, bool stopped) final;
  [[nodiscard]] BpfCost cost() const final { return programs_.cost(); }
  [[nodiscard]] bool has_tracing_frames() const final { return true; }
  [[nodiscard]] std::vector<std::string> notes() const final;

 protected:
  // `thing`: what is timed, for the summary: "wait". `tag_text` as in Reading.
  DurationSource(const TracedPrograms::Plan& plan, const SamplingOptions& options, std::uint32_t most_rows,
                 const char* thing, std::function<std::string(std::uint32_t)> tag_text)
      : programs_(plan, options),
        recorder_(programs_.object(), options, Reading{.divisor = 1000, .tag_text = std::move(tag_text)}),
        rows_(programs_.object(), most_rows),
        thing_(thing) {}

  // The table without its rows, and the labels of a row.
  [[nodiscard]] virtual DurationTable table() const = 0;
  [[nodiscard]] virtual std::vector<StringId> labels(ProcessTimeline& timeline, Profile& into, std::uint64_t what,
                                                     std::uint32_t whose, const DurationRows::Sum& sum) = 0;
  [[nodiscard]] bpf_object& object() const { return programs_.object(); }

 private:
  TracedPrograms programs_;
  Recorder recorder_;
  DurationRows rows_;
  const char* thing_;
};

}  // namespace profile
