#include "input/header_line.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "support/text_parts.h"

namespace profile {
namespace {

// A title that a source gives.
struct Title {
  std::string_view text;
  std::string_view event;
  std::string_view unit;
  std::string_view counted;
};
constexpr Title titles[] = {
    {"Tracing off-CPU time in microseconds", "off-cpu", "microseconds", "waits"},
    {"Tracing time on and off CPU in microseconds", "wall", "microseconds", "samples"},
    {"Tracing waits for futexes in microseconds", "futex", "microseconds", "waits"},
    {"Tracing requests to block devices in microseconds", "block-io", "microseconds", "requests"},
    {"Tracing system calls in microseconds", "syscalls", "microseconds", "calls"},
    {"Tracing system calls", "syscalls", "calls", "calls"},
    {"Tracing bytes allocated and not freed", "malloc", "bytes", "allocations"},
    {"Tracing bytes allocated", "malloc", "bytes", "allocations"}};

constexpr std::string_view sampling = "Sampling";
constexpr std::string_view counting = "Counting ";
constexpr std::string_view of_files = " by user + kernel stack";

// The line up to its target; empty when it names none.
std::string_view before_target(std::string_view line) {
  std::size_t end = line.npos;
  for (const std::string_view target : {" of COMMAND [", " of PID ", " of TID ", " of all threads"}) {
    end = std::min(end, line.find(target));
  }
  return end == line.npos ? std::string_view() : line.substr(0, end);
}

// A perf event counts what its name says without the modifiers. A clock takes samples.
std::string_view unit_of(std::string_view event) {
  if (event.starts_with("uprobe:")) return "hits";
  const std::string_view name = event.substr(0, event.rfind(':'));
  const std::string_view modifiers = event.substr(std::min(name.size() + 1, event.size()));
  if (modifiers.find_first_not_of("uk") != modifiers.npos) return event;
  return name == "cpu-clock" || name == "task-clock" ? "samples" : name;
}

void set_event(RunInfo& run, std::string_view event, std::uint64_t frequency_hz, std::uint64_t period_events) {
  run.event = event;
  run.unit = unit_of(event);
  run.frequency_hz = frequency_hz;
  run.period_events = period_events;
}

// Removes "WORD NUMBER UNIT" from the end.
std::optional<std::uint64_t> take_rate(std::string_view& text, std::string_view word, std::string_view unit) {
  const std::size_t at = text.rfind(word);
  if (at == text.npos || !text.ends_with(unit) || text.size() < at + word.size() + unit.size()) return std::nullopt;
  const std::size_t begin = at + word.size();
  const auto number = parse_number<std::uint64_t>(text.substr(begin, text.size() - unit.size() - begin));
  if (number) text = text.substr(0, at);
  return number;
}

// Reads " at 49 Hertz", " at every 100 events", " cycles every event" and the like.
bool read_sampling(std::string_view text, RunInfo& run) {
  constexpr std::string_view every_event = " every event";
  std::uint64_t frequency_hz = 0;
  std::uint64_t period_events = 0;
  if (const auto hertz = take_rate(text, " at ", " Hertz")) {
    frequency_hz = *hertz;
  } else if (const auto events = take_rate(text, " every ", " events")) {
    period_events = *events;
  } else if (text.ends_with(every_event)) {
    period_events = 1;
    text.remove_suffix(every_event.size());
  } else {
    return false;
  }
  const bool is_default = text.empty() || text == " at";
  set_event(run, is_default ? "cpu-clock" : text.substr(1), frequency_hz, period_events);
  return true;
}

// "Page-faults of a.json, b.json by user + kernel stack", which `profile report` writes. It does not say which event
// took samples.
bool read_sum(std::string_view line, RunInfo& run) {
  const std::size_t end = line.find(" of ");
  if (end == line.npos || end == 0 || !line.ends_with(of_files)) return false;
  run.unit = line.substr(0, end);
  // As headline_of() writes it: "LLC-loads" keeps its capitals.
  char& first = run.unit.front();
  const bool is_word = run.unit.size() > 1 && run.unit[1] >= 'a' && run.unit[1] <= 'z';
  if (is_word && first >= 'A' && first <= 'Z') first = static_cast<char>(first - 'A' + 'a');
  if (run.unit != "samples") run.event = run.unit;
  // "Inuse_space in bytes of heap.pb.gz ..."
  constexpr std::string_view in = " in ";
  if (const std::size_t at = run.unit.find(in); at != run.unit.npos && at != 0) {
    run.event = run.unit.substr(0, at);
    run.unit.erase(0, at + in.size());
  }
  return true;
}

}  // namespace

bool read_header_line(std::string_view line, RunInfo& run) {
  const std::string_view measured = before_target(line);
  if (measured.empty()) return read_sum(line, run);
  if (measured.starts_with(sampling)) return read_sampling(measured.substr(sampling.size()), run);
  if (measured.starts_with(counting)) {
    set_event(run, measured.substr(counting.size()), 0, 1);
    return true;
  }
  const auto* const title = std::ranges::find(titles, measured, &Title::text);
  if (title != std::end(titles)) {
    run.event = title->event;
    run.unit = title->unit;
    run.counted = title->counted;
    return true;
  }
  if (!measured.ends_with(" in microseconds")) return false;
  run.event = run.unit = "microseconds";
  return true;
}

}  // namespace profile
