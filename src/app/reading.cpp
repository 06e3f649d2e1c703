#include "app/reading.h"

#include <algorithm>
#include <ostream>

#include "app/options.h"
#include "app/weight.h"
#include "input/profile_reader.h"
#include "output/text_table.h"
#include "support/error.h"
#include "support/plural.h"

namespace profile {
namespace {

// Some options mean something else here than for a run.
OptionRow as_for_reading(OptionRow row) {
  if (row.long_name == "top") {
    row.argument = "N";
    row.summary = "rows of each table (default 10)";
  }
  if (row.long_name == "event")
    row.summary = "only this event, of perf script's text and of --stream (default: the first)";
  if (row.long_name == "lines") {
    row.summary = "lines of one function as frames of their own, also of others' pprof files";
  }
  return row;
}

void take_unit(Profile& profile, const RunInfo& run) {
  profile.run.unit = run.unit;
  profile.change_rows([&run](Row& row) { row.samples = samples_of(run, row.value); });
}

// Of two files whose values are counts without a unit, one has fractions, so both are counted in its parts.
void take_smaller_parts(ReadProfile& a, ReadProfile& b) {
  const auto parts_of = [](const ReadProfile& file) {
    return file.profile.run.event.empty() ? 1 : parts_of_one(file.profile.run.unit.word());
  };
  const std::uint64_t parts_a = parts_of(a);
  const std::uint64_t parts_b = parts_of(b);
  if (parts_a == 0 || parts_b == 0 || parts_a == parts_b) return;
  ReadProfile& larger = parts_a < parts_b ? a : b;
  const RunInfo& smaller = (parts_a < parts_b ? b : a).profile.run;
  const std::uint64_t factor = std::max(parts_a, parts_b) / std::min(parts_a, parts_b);
  if (!larger.profile.weigh(factor, smaller.unit.kind())) {
    throw Error(larger.name + ": its values add up to more than 2^64 - 1 " + smaller.unit.word());
  }
  larger.profile.run.unit = smaller.unit;  // its kind does not tell the word
  larger.profile.run.event = smaller.event;
  larger.profile.change_rows([](Row& row) { row.samples = 0; });
}

std::string with_name(const Subcommand& command, const std::string& text) {
  return std::string(command.name) + ": " + text;
}

}  // namespace

ParsedOptions parse_reading(const Subcommand& command, std::span<const char* const> arguments) {
  ParsedOptions parsed(std::vector<std::string>(arguments.begin(), arguments.end()));
  for (const OptionRow& row : option_rows()) {
    if (!takes(command, row.long_name) && parsed.is_given(row.long_name)) {
      throw usage_error(with_name(command, spelled(row.long_name) + " is not for this command"));
    }
  }
  // Without a number --top means the live view of a run, which cannot be had here.
  if (parsed.has("top") && parsed.text("top").empty()) {
    throw usage_error(with_name(command, "--top needs a number here: how many rows"));
  }
  parsed.exclude({"folded", "residency", "format"});
  return parsed;
}

std::vector<std::string> files_of(const Subcommand& command, const ParsedOptions& parsed) {
  std::vector<std::string> paths = parsed.positional();
  if (std::count(paths.begin(), paths.end(), "") != 0) throw usage_error(with_name(command, "'' is not a file name"));
  if (std::count(paths.begin(), paths.end(), "-") > 1) throw usage_error(with_name(command, "- given twice"));
  return paths;
}

ReadRequest request_of(const ParsedOptions& parsed) {
  const auto seconds = [&](const char* name) -> std::optional<double> {
    if (!parsed.has(name)) return std::nullopt;
    const std::string typed = parsed.text(name);
    const auto value = typed == "0" ? std::optional(0.0) : parse_seconds(typed);
    if (!value) throw bad_value(name, typed, "not a number of seconds");
    return value;
  };
  ReadRequest request{.from_s = seconds("from"),
                      .to_s = seconds("to"),
                      .tgids = parsed.ids("pid", "process"),
                      .tids = parsed.ids("tid", "thread"),
                      .names = parsed.texts("comm", "not a thread's name"),
                      .cpus = cpus_of(parsed),
                      .event = parsed.text("event")};
  if (request.to_s && *request.to_s <= request.from_s.value_or(0)) {
    throw bad_value("to", parsed.text("to"), "not after the time of --from");
  }
  return request;
}

std::string ReadEdits::apply(Profile& profile, const std::string& name,
                             const std::function<void(const std::string&)>& note) const {
  if (merge_processes) {
    profile.run.processes_by_name = true;
    profile.merge_processes();
  }
  const std::uint64_t before = profile.total();
  frames.apply(profile);
  if (!frames.has_focus()) return "";
  const std::uint64_t rest = profile.total();
  std::string share = percent(rest, before);
  note("in focus: " + std::to_string(rest) + " of " + std::to_string(before) + " " + profile.run.unit.word() + " of " +
       name + ", " + share);
  return share;
}

ReadEdits edits_of(const ParsedOptions& parsed) {
  ReadEdits edits{.frames = {}, .merge_processes = parsed.is_on("merge-processes")};
  const auto add = [&](const char* name, void (FrameEdits::*rule)(std::string_view)) {
    for (const std::string& text : parsed.texts(name)) {
      try {
        (edits.frames.*rule)(text);
      } catch (const Error& error) {
        throw bad_value(name, text.empty() ? "''" : text, error.what());
      }
    }
  };
  add("focus", &FrameEdits::focus);
  add("hide", &FrameEdits::hide);
  add("collapse", &FrameEdits::collapse);
  return edits;
}

void print_options(std::ostream& out, const Subcommand& command) {
  for (const std::string_view name : command.options) {
    const OptionRow row = as_for_reading(option_row(name));
    print_help_line(out, left_column(row), row.summary);
  }
}

ReadProfile read_named(const std::string& path, const ReadRequest& request,
                       const std::function<void(const std::string&)>& note) {
  AlienLines aliens;
  ReadProfile read{.name = path == "-" ? "stdin" : path, .profile = read_profile_file(path, &aliens, request)};
  if (aliens.count != 0)
    note(aliens.first + "; " + number_of(aliens.count, "such line is", "such lines are") + " left out");
  return read;
}

void agree_on_unit(ReadProfile& a, ReadProfile& b, const std::string& what) {
  take_smaller_parts(a, b);
  const auto says_nothing = [](const ReadProfile& file) { return file.profile.run.event.empty(); };
  if (says_nothing(a)) take_unit(a.profile, b.profile.run);
  if (says_nothing(b)) take_unit(b.profile, a.profile.run);
  if (a.profile.run.unit == b.profile.run.unit) return;
  if (is_time(a.profile.run) && is_time(b.profile.run)) {
    for (ReadProfile* const file : {&a, &b}) become_time(file->profile, file->name);
    return;
  }
  throw Error(a.name + " is in " + a.profile.run.unit.word() + " and " + b.name + " in " + b.profile.run.unit.word() +
              ": they cannot be " + what);
}

}  // namespace profile
