#include "app/reading.h"

#include <algorithm>
#include <ostream>

#include "app/options.h"
#include "input/profile_reader.h"
#include "support/error.h"
#include "support/plural.h"

namespace profile {
namespace {

// Options that mean something else here than for a run, and their help texts.
struct ReadingOption {
  std::string_view name;
  std::string_view argument;
  std::string_view summary;
};
constexpr ReadingOption reading_options[] = {
    {"top", "N", "rows of each table (default 10)"},
    {"lines", "", "lines of one function as frames of their own, also of others' pprof files"},
};

ReadingOption as_for_reading(const OptionRow& row) {
  for (const ReadingOption& option : reading_options) {
    if (option.name == row.long_name) return option;
  }
  return {.name = row.long_name, .argument = row.argument, .summary = row.summary};
}

std::string with_name(const ReadingCommand& command, const std::string& text) {
  return std::string(command.name) + ": " + text;
}

}  // namespace

ParsedOptions parse_reading(const ReadingCommand& command, std::span<const char* const> arguments) {
  ParsedOptions parsed(std::vector<std::string>(arguments.begin(), arguments.end()));
  for (const OptionRow& row : option_rows()) {
    const std::string name(row.long_name);
    if (std::find(command.options.begin(), command.options.end(), name) != command.options.end()) continue;
    if (parsed.is_given(name.c_str()))
      throw usage_error(with_name(command, spelled(name) + " is not for this command"));
  }
  // Without a number --top means the live view of a run, which cannot be had here.
  if (parsed.has("top") && parsed.text("top").empty()) {
    throw usage_error(with_name(command, "--top needs a number here: how many rows"));
  }
  parsed.exclude({"folded", "residency", "format"});
  return parsed;
}

std::vector<std::string> files_of(const ReadingCommand& command, const ParsedOptions& parsed) {
  std::vector<std::string> paths = parsed.positional();
  if (std::count(paths.begin(), paths.end(), "") != 0) throw usage_error(with_name(command, "'' is not a file name"));
  if (std::count(paths.begin(), paths.end(), "-") > 1) throw usage_error(with_name(command, "- given twice"));
  return paths;
}

void print_options(std::ostream& out, const ReadingCommand& command) {
  for (const std::string_view name : command.options) {
    const OptionRow& row = option_row(name);
    const ReadingOption option = as_for_reading(row);
    std::string left = "  ";
    left += row.short_name != 0 ? std::string{'-', row.short_name, ','} + " " : "    ";
    left.append("--").append(name);
    if (!option.argument.empty()) left.append(" ").append(option.argument);
    constexpr std::size_t column = 32;
    left.append(left.size() < column ? column - left.size() : 1, ' ');
    out << left << option.summary << '\n';
  }
}

ReadProfile read_named(const std::string& path, const std::function<void(const std::string&)>& note) {
  AlienLines aliens;
  ReadProfile read{.name = path == "-" ? "stdin" : path, .profile = read_profile_file(path, &aliens)};
  if (aliens.count != 0)
    note(aliens.first + "; " + number_of(aliens.count, "such line is", "such lines are") + " left out");
  return read;
}

void agree_on_unit(ReadProfile& a, ReadProfile& b, const std::string& what) {
  const auto says_nothing = [](const ReadProfile& file) { return file.profile.run.event.empty(); };
  if (says_nothing(a)) a.profile.run.unit = b.profile.run.unit;
  if (says_nothing(b)) b.profile.run.unit = a.profile.run.unit;
  if (a.profile.run.unit == b.profile.run.unit) return;
  throw Error(a.name + " is in " + a.profile.run.unit + " and " + b.name + " in " + b.profile.run.unit +
              ": they cannot be " + what);
}

}  // namespace profile
