#include "model/run_words.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "support/ascii.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr Measure all_measures[] = {measures::off_cpu,         measures::wall,
                                    measures::futex,           measures::block_io,
                                    measures::syscalls,        measures::syscall_times,
                                    measures::malloc,          measures::live_malloc,
                                    measures::failed_syscalls, measures::failed_syscall_times};

constexpr std::string_view sampling = "Sampling";
constexpr std::string_view counting = "Counting ";
constexpr std::string_view every_event = " every event";
constexpr std::string_view of_files = " by user + kernel stack";

void set_words(RunInfo& run, const Measure& measure) {
  run.event = measure.event;
  run.unit = measure.unit;
  run.counted = measure.counted;
  run.tag = measure.tag;
}

void set_event(RunInfo& run, std::string_view event, std::uint64_t frequency_hz, std::uint64_t period_events) {
  run.event = event;
  run.unit = unit_of_event(event);
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

// `text` comes after "Sampling".
bool read_sampling(std::string_view text, RunInfo& run) {
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
  set_event(run, is_default ? cpu_clock : text.substr(1), frequency_hz, period_events);
  return true;
}

}  // namespace

void set_measure(RunInfo& run, const Measure& measure) {
  set_words(run, measure);
  run.title = measure.title;
}

std::string sampling_title(std::string_view event, std::uint64_t frequency_hz, std::uint64_t period_events) {
  std::string title(sampling);
  // "at every", because users know the words of profile.py.
  if (!event.empty()) title.append(" ").append(event);
  if (frequency_hz != 0) return title + " at " + std::to_string(frequency_hz) + " Hertz";
  if (event.empty()) title += " at";
  if (period_events == 1 && !event.empty()) return title.append(every_event);
  return title + " every " + std::to_string(period_events) + " events";
}

std::string counting_title(std::string_view event) { return std::string(counting).append(event); }

bool read_title(std::string_view title, RunInfo& run) {
  if (title.starts_with(sampling)) return read_sampling(title.substr(sampling.size()), run);
  if (title.starts_with(counting)) {
    set_event(run, title.substr(counting.size()), 0, 1);
    return true;
  }
  const auto* const measure = std::ranges::find(all_measures, title, &Measure::title);
  if (measure == std::end(all_measures)) return false;
  set_words(run, *measure);
  return true;
}

// "LLC-loads" keeps its capitals.
std::string sum_headline(const RunUnit& unit, std::string_view files) {
  std::string line = unit.word();
  const auto is_small = [](char letter) { return letter >= 'a' && letter <= 'z'; };
  if (line.size() > 1 && is_small(line[0]) && is_small(line[1])) line[0] = static_cast<char>(line[0] - 'a' + 'A');
  return line.append(" of ").append(files).append(of_files);
}

bool read_sum_headline(std::string_view line, RunInfo& run) {
  const std::size_t end = line.find(" of ");
  if (end == line.npos || end == 0 || !line.ends_with(of_files)) return false;
  std::string unit(line.substr(0, end));
  if (unit.size() > 1 && unit[1] >= 'a' && unit[1] <= 'z') unit[0] = to_lower(unit[0]);
  run.unit = unit;
  if (run.unit != Unit::samples) run.event = unit;
  // "Inuse_space in bytes of heap.pb.gz ..."
  constexpr std::string_view in = " in ";
  if (const std::size_t at = unit.find(in); at != unit.npos && at != 0) {
    run.event = unit.substr(0, at);
    run.unit = unit.substr(at + in.size());
  }
  return true;
}

}  // namespace profile
