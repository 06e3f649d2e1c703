#include "sampling/perf_events.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "support/error.h"

namespace profile {
namespace {

constexpr std::size_t longest_raw_code = 16;  // hexadecimal digits of a u64

// A name is CACHE-OPERATIONS, or CACHE-OPERATION-misses, for the operations that the cache has.
struct Cache {
  std::string_view name;
  std::uint64_t id;
  std::string_view operations;  // first letters of the operations that it has
  std::string_view instead;
};
constexpr Cache caches[] = {
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D, "lsp", "page-faults"},
    {"L1-icache", PERF_COUNT_HW_CACHE_L1I, "lp", "page-faults"},
    {"LLC", PERF_COUNT_HW_CACHE_LL, "lsp", "page-faults"},
    {"dTLB", PERF_COUNT_HW_CACHE_DTLB, "lsp", "page-faults"},
    {"iTLB", PERF_COUNT_HW_CACHE_ITLB, "l", "page-faults"},
    {"branch", PERF_COUNT_HW_CACHE_BPU, "l", cpu_clock},
    {"node", PERF_COUNT_HW_CACHE_NODE, "lsp", "page-faults"},
};

struct Operation {
  std::string_view one;
  std::string_view many;
  std::uint64_t id;
};
constexpr Operation operations[] = {
    {"load", "loads", PERF_COUNT_HW_CACHE_OP_READ},
    {"store", "stores", PERF_COUNT_HW_CACHE_OP_WRITE},
    {"prefetch", "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH},
};

struct Result {
  std::string_view suffix;
  std::uint64_t id;
};
constexpr Result results[] = {{"", PERF_COUNT_HW_CACHE_RESULT_ACCESS}, {"-misses", PERF_COUNT_HW_CACHE_RESULT_MISS}};

std::vector<PerfEvent> make_cache_events() {
  std::vector<PerfEvent> events;
  for (const Cache& cache : caches) {
    for (const Operation& operation : operations) {
      if (cache.operations.find(operation.one.front()) == std::string_view::npos) continue;
      for (const Result& result : results) {
        const std::string_view verb = result.suffix.empty() ? operation.many : operation.one;
        events.push_back({.name = std::string(cache.name) + "-" + std::string(verb) + std::string(result.suffix),
                          .type = PERF_TYPE_HW_CACHE,
                          .config = cache.id | operation.id << 8 | result.id << 16,
                          .instead = cache.instead});
      }
    }
  }
  return events;
}

const std::vector<PerfEvent>& cache_events() {
  static const std::vector<PerfEvent> events = make_cache_events();
  return events;
}

std::optional<PerfEvent> find_cache_event(std::string_view name) {
  const auto found = std::ranges::find(cache_events(), name, &PerfEvent::name);
  return found != cache_events().end() ? std::optional(*found) : std::nullopt;
}

std::optional<PerfEvent> find_raw_event(std::string_view name) {
  if (name.size() < 2 || name.size() > 1 + longest_raw_code || name.front() != 'r') return std::nullopt;
  PerfEvent event;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), event.config, 16);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  event.name = name;
  event.type = PERF_TYPE_RAW;
  event.instead = cpu_clock;
  return event;
}

std::optional<PerfEvent> find_listed_event(std::span<const PerfEventName> table, std::string_view name) {
  for (const PerfEventName& known : table) {
    if (name != known.name && (name.empty() || name != known.alias)) continue;
    return PerfEvent{
        .name = std::string(known.name), .type = known.type, .config = known.config, .instead = known.instead};
  }
  return std::nullopt;
}

std::optional<PerfEvent> find_perf_event(std::string_view name) {
  if (auto event = find_listed_event(software_events, name)) return event;
  if (auto event = find_listed_event(hardware_events, name)) return event;
  if (auto event = find_cache_event(name)) return event;
  return find_raw_event(name);
}

}  // namespace

bool ModifiedName::is_good() const {
  return !has_colon || (!modifiers.empty() && modifiers.find_first_not_of("uk") == std::string_view::npos);
}

ModifiedName split_modifiers(std::string_view event) {
  const auto colon = event.rfind(':');
  if (colon == std::string_view::npos) return {.name = event, .modifiers = {}};
  return {.name = event.substr(0, colon), .modifiers = event.substr(colon + 1), .has_colon = true};
}

bool is_cache_event(std::string_view event) { return find_cache_event(split_modifiers(event).name).has_value(); }

bool is_raw_event(std::string_view event) { return find_raw_event(split_modifiers(event).name).has_value(); }

std::optional<PerfEvent> parse_perf_event(std::string_view event) {
  const ModifiedName typed = split_modifiers(event);
  auto parsed = find_perf_event(typed.name);
  if (!parsed || !typed.has_colon) return parsed;
  if (!typed.is_good()) {
    throw usage_error("-e " + std::string(event) + ": what stands behind the colon is u (user), k (kernel) or both");
  }
  const auto wants = [&](char letter) { return typed.modifiers.find(letter) != std::string_view::npos; };
  parsed->exclude_user = !wants('u');
  parsed->exclude_kernel = !wants('k');
  return parsed;
}

std::vector<std::string> cache_event_names() {
  std::vector<std::string> names;
  for (const PerfEvent& event : cache_events()) names.push_back(event.name);
  return names;
}

}  // namespace profile
