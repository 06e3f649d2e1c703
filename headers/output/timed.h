// The interface of a timed form: it writes each sample at its place in time, and has a lane for each thread. A report
// has no times, so it cannot be written so; a run and a recording can. It knows no file, no kernel and no event source.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "model/profile.h"
#include "model/sample.h"
#include "output/output.h"

namespace profile {

struct TimedRun {
  std::vector<RunInfo> events;      // at least one; Sample::event is the index
  std::uint64_t began_ns = 0;       // by the clock of Sample::time_ns
  std::uint64_t began_unix_ns = 0;  // the same moment
  // When a program began, as Unix time in nanoseconds; 0: unknown. Asked for those whose Process does not say it.
  std::function<std::uint64_t(std::uint32_t tgid, std::uint32_t image)> program_began = [](auto, auto) {
    return std::uint64_t{0};
  };
};

class TimedOutput {
 public:
  virtual ~TimedOutput() = default;
  // Writes what comes before the first sample.
  virtual void begin(std::ostream& out, const TimedRun& run) = 0;
  // Takes one sample; they come in the order of time. `profile` holds its names and is symbolised. Within one profile
  // an id of a stack always means the same stack, so what was made of it can be kept until forget(). A source that
  // measures time gives the end of each span as the sample's time, and its length as the value.
  virtual void append(std::ostream& out, const Profile& profile, const Sample& sample) = 0;
  // The next samples belong to another profile.
  virtual void forget() = 0;
  // Writes the rest. The run ended at `ended_ns`, by the clock of the samples.
  virtual void end(std::ostream& out, std::uint64_t ended_ns) = 0;
};

// Whether the values of that run are lengths of time, so that its samples, or some of them, are spans.
[[nodiscard]] bool has_spans(const RunInfo& run);
// Whether a sample of that run is a span of time, which ends at the sample's time and is as long as its value.
[[nodiscard]] bool is_span(const RunInfo& run, const Row& row);
// The length of one unit of a span, in nanoseconds.
[[nodiscard]] std::uint64_t ns_of_span_unit(const RunInfo& run);
// The title of the first event (output/header.h), and the names of the others.
[[nodiscard]] std::string title_of(const TimedRun& run, std::uint64_t duration_ns);

}  // namespace profile
