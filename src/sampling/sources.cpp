// The only table of sources: first those with perf's names, from the table of their names, then our own. Groups stay
// together. A name that fits several rows belongs to the first.
#include "sampling/source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/run_words.h"
#include "sampling/perf_event.h"
#include "sampling/perf_events.h"
#include "sampling/tracepoint.h"
#include "sampling/uprobe_target.h"
#include "support/nearest_names.h"

namespace profile {

// Each function is defined in its source's file. Sources that other files also use have a header instead.
std::unique_ptr<Source> make_block_io(const SamplingOptions& options);
std::unique_ptr<Source> make_futex(const SamplingOptions& options);
std::unique_ptr<Source> make_malloc(const SamplingOptions& options);
std::unique_ptr<Source> make_off_cpu(const SamplingOptions& options);
std::unique_ptr<Source> make_syscalls(const SamplingOptions& options);
std::unique_ptr<Source> make_uprobe(const SamplingOptions& options);
std::unique_ptr<Source> make_wall(const SamplingOptions& options);

namespace {

// Capital letters in a name are placeholders: such a row is a family of events.
constexpr std::string_view placeholder_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

constexpr SourceKind own_kinds[] = {
    // Hardware events, after those that have a name of their own
    {.name = cache_event_family,
     .group = "Hardware events",
     .summary = "L1-dcache, L1-icache, LLC, dTLB, iTLB, branch, node; loads, stores, prefetches, load-misses, ...",
     .matches = is_cache_event,
     .make = make_perf_event,
     .missing = missing_perf_event},
    {.name = "rNNNN",
     .group = "Hardware events",
     .summary = "what the CPU's manual has under this hexadecimal code",
     .matches = is_raw_event,
     .has_rate = true,
     .make = make_perf_event,
     .missing = missing_perf_event},

    // Tracepoints and probes; the stricter form of a name comes first
    {.name = "uprobe:FILE:SYMBOL",
     .group = "Tracepoints and probes",
     .summary = "a function of a program or library, as uprobe:libc:malloc; or SYMBOL+0xOFFSET",
     .matches = is_uprobe_name,
     .make = make_uprobe},
    {.name = "SYSTEM:EVENT",
     .group = "Tracepoints and probes",
     .summary = "a tracepoint of the kernel's, as sched:sched_process_exec",
     .matches = is_tracepoint_name,
     .make = make_tracepoint,
     .missing = missing_tracepoints},

    // Waiting
    {.name = measures::off_cpu.event,
     .group = "Waiting",
     .summary = "where threads leave their CPU, by how long they stay away",
     .make = make_off_cpu,
     .takes = "min-block-us max-block-us state waker ended-waits"},
    {.name = measures::wall.event,
     .group = "Waiting",
     .summary = "all time of all threads, on a CPU and off",
     .make = make_wall,
     .takes = "ended-waits"},
    {.name = measures::futex.event,
     .group = "Waiting",
     .summary = "waits for locks and the like, by how long they take",
     .make = make_futex,
     .takes = "min-block-us max-block-us"},
    {.name = measures::block_io.event,
     .group = "Waiting",
     .summary = "requests to block devices, by how long those take",
     .make = make_block_io},

    // System calls
    {.name = measures::syscalls.event,
     .group = "System calls",
     .summary = "which are made, how often; with options how long they take and how they fail",
     .default_format = "table",
     .make = make_syscalls,
     .takes = "latency failed by-process category"},

    // Memory
    {.name = measures::malloc.event,
     .group = "Memory",
     .summary = "memory asked of the C library; with --live what has not been freed",
     .make = make_malloc,
     .takes = "live"},
};

constexpr SourceKind perf_kind(const PerfEventName& event, std::string_view group) {
  return {.name = event.name,
          .alias = event.alias,
          .group = group,
          .summary = event.summary,
          .has_rate = true,
          .takes_modifiers = true,
          .make = make_perf_event,
          .missing = missing_perf_event};
}

constexpr auto kinds = [] {
  std::array<SourceKind, std::size(software_events) + std::size(hardware_events) + std::size(own_kinds)> all{};
  auto next = all.begin();
  for (const PerfEventName& event : software_events) *next++ = perf_kind(event, "Software events");
  for (const PerfEventName& event : hardware_events) *next++ = perf_kind(event, "Hardware events");
  std::ranges::copy(own_kinds, next);
  return all;
}();

// The whole name of a family ("uprobe:FILE:SYMBOL") if a fixed part with a colon precedes the first placeholder.
// Otherwise "", because the name is no useful suggestion.
std::string fixed_part(std::string_view name) {
  const std::size_t capital = name.find_first_of(placeholder_letters);
  return capital != 0 && name[capital - 1] == ':' ? std::string(name) : "";
}

}  // namespace

std::span<const SourceKind> source_kinds() { return kinds; }

const SourceKind* find_source_kind(std::string_view event) {
  const auto is_of = [&](const SourceKind& kind) {
    if (kind.matches != nullptr) return kind.matches(event);
    const std::string_view name = kind.takes_modifiers ? split_modifiers(event).name : event;
    return name == kind.name || (!name.empty() && name == kind.alias);
  };
  const auto found = std::find_if(kinds.begin(), kinds.end(), is_of);
  return found == kinds.end() ? nullptr : &*found;
}

std::vector<std::string> nearest_source_names(std::string_view event) {
  std::vector<std::string> names = cache_event_names();
  for (const SourceKind& kind : kinds) {
    if (kind.name.find_first_of(placeholder_letters) != std::string_view::npos) {
      if (std::string shape = fixed_part(kind.name); !shape.empty()) names.push_back(std::move(shape));
      continue;
    }
    names.emplace_back(kind.name);
    if (!kind.alias.empty()) names.emplace_back(kind.alias);
  }

  // Compares the names without the modifiers, and suggests them with the modifiers.
  const ModifiedName typed = split_modifiers(event);
  if (typed.has_colon && typed.is_good()) {
    std::vector<std::string> nearest = nearest_names(typed.name, std::move(names));
    for (std::string& name : nearest) {
      const auto known = parse_perf_event(name);
      if (known) name += ":" + std::string(typed.modifiers);
    }
    return nearest;
  }
  if (typed.has_colon) {
    std::ranges::move(tracepoint_names(), std::back_inserter(names));
  }
  std::vector<std::string> nearest = nearest_names(event, std::move(names));
  if (typed.has_colon || !is_tracepoint_system(event)) return nearest;
  // `event` is the first half of a tracepoint's name. Of the other names only those that contain it stay, as block-io
  // contains block.
  std::erase_if(nearest, [&](const std::string& name) { return name.find(event) == std::string::npos; });
  nearest.insert(nearest.begin(), std::string(event) + ":EVENT");
  return nearest;
}

}  // namespace profile
