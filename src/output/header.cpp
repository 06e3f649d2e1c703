// Uses the words of profile.py, because users know them: the event, the targets, the stacks, the CPUs
// and the duration.
#include "output/header.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <ostream>
#include <string>

#include "model/run_words.h"
#include "output/clean_text.h"
#include "output/text_cells.h"
#include "output/text_table.h"
#include "support/clock.h"

namespace profile {
namespace {

// "[1, 2]"
template <class Items, class Text>
std::string bracketed(const Items& items, std::string_view separator, Text text) {
  std::string list = "[";
  for (const auto& item : items) {
    if (list.size() > 1) list += separator;
    list += text(item);
  }
  return list + "]";
}

std::string measure(const RunInfo& run) {
  if (!run.title.empty()) return clean_text(run.title);
  return sampling_title({}, run.frequency_hz, run.period_events);
}

std::string target(const RunInfo& run) {
  const auto number = [](std::uint32_t id) { return std::to_string(id); };
  if (!run.command.empty()) return "COMMAND " + bracketed(run.command, " ", clean_text);
  if (!run.tgids.empty()) return "PID " + bracketed(run.tgids, ", ", number);
  if (!run.tids.empty()) return "TID " + bracketed(run.tids, ", ", number);
  return "all threads";
}

// The names, which follow the target.
std::string names(const RunInfo& run) {
  if (run.names.empty()) return {};
  const bool is_of_some = !run.command.empty() || !run.tgids.empty() || !run.tids.empty();
  return (is_of_some ? ", threads named " : " named ") + bracketed(run.names, ", ", clean_text);
}

std::string_view stacks(const RunInfo& run) {
  if (!run.user_stacks) return run.kernel_stacks ? " by kernel stack" : "";
  return run.kernel_stacks ? " by user + kernel stack" : " by user stack";
}

// "5" or "0.5": the fewest digits that are exact, and never an exponent.
std::string plain(double seconds) {
  char digits[400];  // the largest double has 309 digits before its point
  const auto end = std::to_chars(digits, digits + sizeof digits, seconds, std::chars_format::fixed).ptr;
  return {digits, end};
}

// A longer command is cut: its page and its pictures show the whole command line elsewhere.
constexpr std::size_t longest_command = 60;

std::string subject(const RunInfo& run) {
  const auto ids = [](std::string_view one, std::string_view many, const std::vector<std::uint32_t>& of) {
    std::string text(of.size() == 1 ? one : many);
    for (std::size_t i = 0; i < of.size(); ++i) text.append(i == 0 ? " " : ", ").append(std::to_string(of[i]));
    return text;
  };
  std::string who = "all processes";
  if (!run.command.empty()) {
    who.clear();
    for (const std::string& word : run.command) who.append(who.empty() ? "" : " ").append(clean_text(word));
    who = cut_to_cells(who, longest_command);
  } else if (!run.tgids.empty()) {
    who = cut_to_cells(ids("process", "processes", run.tgids), longest_command);
  } else if (!run.tids.empty()) {
    who = cut_to_cells(ids("thread", "threads", run.tids), longest_command);
  }
  if (run.names.empty()) return who;
  who += run.names.size() == 1 ? ", thread " : ", threads ";
  for (std::size_t i = 0; i < run.names.size(); ++i) who.append(i == 0 ? "" : ", ").append(clean_text(run.names[i]));
  return who;
}

// Empty for the clock, which needs no name.
std::string measured(const RunInfo& run) {
  constexpr std::string_view tracing = "Tracing ";
  constexpr std::string_view in_microseconds = " in microseconds";
  std::string_view title = run.title;
  if (!title.starts_with(tracing)) return run.is_of_cpu_clock() ? std::string() : clean_text(run.event);
  title.remove_prefix(tracing.size());
  if (title.ends_with(in_microseconds)) title.remove_suffix(in_microseconds.size());
  return clean_text(title);
}

std::string stacks_of(const RunInfo& run) {
  if (!run.user_stacks) return run.kernel_stacks ? "kernel stacks" : "";
  return run.kernel_stacks ? "user and kernel stacks" : "user stacks";
}

std::string rate_of(const RunInfo& run) {
  if (run.frequency_hz != 0) return std::to_string(run.frequency_hz) + " Hz";
  if (run.period_events <= 1) return {};
  return "every " + std::to_string(run.period_events) + (run.is_of_cpu_clock() ? " ns" : " events");
}

std::string time_in_utc(std::uint64_t unix_ns, const char* format) {
  if (unix_ns == 0) return {};
  const auto time_s = static_cast<std::time_t>(unix_ns / ns_per_s);
  std::tm utc{};
  ::gmtime_r(&time_s, &utc);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &utc)};
}

// "12", "0.5"
std::string rounded(double seconds) {
  std::string text = decimal(seconds, seconds < 10 ? 1 : 0);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

std::string header_line(const RunInfo& run) {
  if (!run.headline.empty()) return clean_text(run.headline);
  std::string line = measure(run);
  line.append(" of ").append(target(run)).append(names(run)).append(stacks(run));
  if (!run.cpus.empty()) line += " on CPU#" + run.cpus;
  if (run.duration_s) {
    line += " for " + plain(*run.duration_s) + " secs.";
  } else {
    line += run.command.empty() ? "... Hit Ctrl-C to end." : ".";
  }
  return line;
}

void write_header(std::ostream& out, const RunInfo& run) { out << header_line(run) << "\n\n"; }

std::string header_title(const RunInfo& run) {
  const std::string line = header_line(run);
  return line.substr(0, std::min(line.find('\n'), line.find("... Hit Ctrl-C")));
}

std::string title_of(const RunInfo& run, std::uint64_t duration_ns) {
  if (!run.heading.empty()) return clean_text(run.heading);
  if (!run.headline.empty()) return header_title(run);
  std::string title = subject(run);
  std::string_view separator = ": ";
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    title.append(separator).append(part);
    separator = ", ";
  };
  add(measured(run));
  add(stacks_of(run));
  add(rate_of(run));
  if (!run.cpus.empty()) add((run.cpus.find_first_of(",-") == run.cpus.npos ? "CPU " : "CPUs ") + run.cpus);
  const double seconds = duration_ns != 0 ? to_seconds(duration_ns) : run.duration_s.value_or(0);
  if (seconds > 0) add(rounded(seconds) + " s");
  return title;
}

std::string place_of(const RunInfo& run, std::uint64_t began_unix_ns) {
  std::string place = clean_text(run.host);
  const std::string time = time_in_utc(began_unix_ns, "%Y-%m-%d %H:%M:%S UTC");
  if (!place.empty() && !time.empty()) place += ", ";
  return place + time;
}

std::string clock_time_of(std::uint64_t began_unix_ns) { return time_in_utc(began_unix_ns, "%H:%M:%S UTC"); }

}  // namespace profile
