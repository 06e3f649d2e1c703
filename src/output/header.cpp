// Uses the words of profile.py, because users know them: the event, the targets, the stacks, the CPUs
// and the duration.
#include "output/header.h"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <string>

#include "model/run_words.h"
#include "output/clean_text.h"

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

std::string title_of(const RunInfo& run) {
  const std::string line = header_line(run);
  return line.substr(0, std::min(line.find('\n'), line.find("... Hit Ctrl-C")));
}

}  // namespace profile
