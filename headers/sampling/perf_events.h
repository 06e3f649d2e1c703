// Perf events by perf's names: the table of names, the rules for cache events and raw codes, and the modifiers. The
// results are for perf_event_open(); nothing here calls the kernel.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profile {

struct PerfEventName {
  std::string_view name;
  std::string_view alias;  // "" if none
  std::uint32_t type;      // PERF_TYPE_
  std::uint64_t config;
  std::string_view summary;
  std::string_view instead;  // of a hardware event: the software event to suggest in its place
};

// The first row is the default event of the program.
inline constexpr PerfEventName software_events[] = {
    {cpu_clock, "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "what runs on the CPUs, by a timer", ""},
    {"task-clock", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "the same, by the clock of the tasks", ""},
    {"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "pages not at hand when touched", ""},
    {"minor-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "of these, the ones met from memory", ""},
    {"major-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "of these, the ones read from disk", ""},
    {"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "a CPU turns to another thread", ""},
    {"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "a thread changes its CPU", ""},
    {"cgroup-switches", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, "a CPU turns to another cgroup", ""},
    {"alignment-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, "accesses the kernel aligned", ""},
    {"emulation-faults", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, "instructions the kernel emulated",
     ""},
};

inline constexpr PerfEventName hardware_events[] = {
    {"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles of the CPUs", cpu_clock},
    {"instructions", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions that completed", cpu_clock},
    {"cache-references", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "uses of the last cache",
     "page-faults"},
    {"cache-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "what the last cache lacked", "page-faults"},
    {"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches taken or not",
     cpu_clock},
    {"branch-misses", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branches foretold wrongly", cpu_clock},
    {"bus-cycles", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "cycles of the bus", cpu_clock},
    {"ref-cycles", "", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "cycles at a constant frequency", cpu_clock},
    {"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
     "cycles without a new instruction", cpu_clock},
    {"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
     "cycles that waited for a result", cpu_clock},
};

struct PerfEvent {
  std::string name;  // without modifiers; never the alias
  std::uint32_t type = PERF_TYPE_SOFTWARE;
  std::uint64_t config = 0;
  std::string_view instead;  // as in PerfEventName
  bool exclude_user = false;
  bool exclude_kernel = false;

  // A clock: its periods are nanoseconds, and each sample has the weight 1.
  [[nodiscard]] bool is_clock() const {
    return type == PERF_TYPE_SOFTWARE && (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
  }
};

// "cycles:u" is "cycles" and "u"; "cycles" has no modifiers; "cycles:" and "cycles:x" have bad ones.
struct ModifiedName {
  std::string_view name;
  std::string_view modifiers;  // behind the last colon
  bool has_colon = false;
  [[nodiscard]] bool is_good() const;
};
[[nodiscard]] ModifiedName split_modifiers(std::string_view event);

// True if `event`, without its modifiers, is a cache event ("L1-dcache-load-misses") or a raw code ("r01b1"). The
// modifiers may be bad.
[[nodiscard]] bool is_cache_event(std::string_view event);
[[nodiscard]] bool is_raw_event(std::string_view event);

// nullopt when there is no perf event of that name. Throws a usage Error when there is one and its modifiers are bad.
[[nodiscard]] std::optional<PerfEvent> parse_perf_event(std::string_view event);
// The name for all cache events together in the list of events.
inline constexpr std::string_view cache_event_family = "CACHE-OPERATIONS";
// The names of all cache events.
[[nodiscard]] std::vector<std::string> cache_event_names();

}  // namespace profile
