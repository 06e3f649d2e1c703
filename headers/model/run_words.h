// The words that say what a run measures: those of each source, and the first words of the header above its reports. A
// source describes its run with them, the outputs print them, and the readers of files turn them back into facts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/profile.h"
#include "model/unit.h"

namespace profile {

// A measure that has words of its own. The fields are those of RunInfo with the same names.
struct Measure {
  std::string_view event;
  std::string_view title;
  Unit unit;
  std::string_view counted;
  std::string_view tag = "state";
};

namespace measures {
inline constexpr Measure off_cpu{"off-cpu", "Tracing off-CPU time in microseconds", Unit::microseconds, "waits"};
inline constexpr Measure wall{"wall", "Tracing time on and off CPU in microseconds", Unit::microseconds, "samples"};
inline constexpr Measure futex{"futex", "Tracing waits for futexes in microseconds", Unit::microseconds, "waits"};
inline constexpr Measure block_io{"block-io", "Tracing requests to block devices in microseconds", Unit::microseconds,
                                  "requests", "request"};
inline constexpr Measure syscalls{"syscalls", "Tracing system calls", Unit::calls, "calls", "system call"};
inline constexpr Measure syscall_times{"syscalls", "Tracing system calls in microseconds", Unit::microseconds, "calls",
                                       "system call"};
inline constexpr Measure failed_syscalls{"syscalls", "Tracing failed system calls", Unit::calls, "calls",
                                         "system call"};
inline constexpr Measure failed_syscall_times{"syscalls", "Tracing failed system calls in microseconds",
                                              Unit::microseconds, "calls", "system call"};
inline constexpr Measure malloc{"malloc", "Tracing bytes allocated", Unit::bytes, "allocations"};
inline constexpr Measure live_malloc{"malloc", "Tracing bytes allocated and not freed", Unit::bytes, "allocations"};
}  // namespace measures

// Gives the run the measure's words and unit.
void set_measure(RunInfo& run, const Measure& measure);

// The unit of an event without a measure. A perf event counts what its name says without the modifiers; a clock takes
// samples.
[[nodiscard]] constexpr std::string_view unit_of_event(std::string_view event) {
  if (event.starts_with("uprobe:")) return word_of(Unit::hits);
  const std::string_view name = event.substr(0, event.rfind(':'));
  if (event.substr(name.size()).find_first_not_of(":uk") != event.npos) return event;
  return name.ends_with("-clock") ? word_of(Unit::samples) : name;
}

// "Sampling cycles at 49 Hertz", "Sampling page-faults every 100 events"; "Sampling at 49 Hertz" without a name. One of
// the numbers is 0.
[[nodiscard]] std::string sampling_title(std::string_view event, std::uint64_t frequency_hz,
                                         std::uint64_t period_events);
// "Counting sched:sched_switch"
[[nodiscard]] std::string counting_title(std::string_view event);
// Sets event, unit, counted, tag and rate of `run`, as far as one of these titles or a measure's tells them. False for
// another text; then nothing has changed.
bool read_title(std::string_view title, RunInfo& run);

// "Page-faults of a.json, b.json by user + kernel stack": the headline of a sum of files, whose names are `files`.
[[nodiscard]] std::string sum_headline(const RunUnit& unit, std::string_view files);
// Sets unit and event as far as such a headline tells them: it does not say which event took samples. False for another
// text; then nothing has changed.
bool read_sum_headline(std::string_view line, RunInfo& run);

}  // namespace profile
