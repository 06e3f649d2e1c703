#include "app/parsed_options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <set>
#include <sstream>

#include "app/options.h"
#include "app/print.h"
#include "model/profile.h"
#include "support/nearest_names.h"
#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

namespace po = boost::program_options;

// Nobody can type it as an option.
constexpr const char* positional_name = "(duration)";
constexpr double longest_seconds = 1e9;  // 31 years

po::options_description described_options() {
  po::options_description named;
  for (const OptionRow& row : option_rows()) {
    std::string name(row.long_name);
    if (row.short_name != 0) name += std::string{',', row.short_name};
    if (row.argument.empty()) {
      named.add_options()(name.c_str(), po::bool_switch());
    } else if (row.argument.starts_with('[')) {
      named.add_options()(name.c_str(), po::value<std::string>()->implicit_value(""));
    } else if (row.repeatable) {
      named.add_options()(name.c_str(), po::value<std::vector<std::string>>()->composing());
    } else {
      named.add_options()(name.c_str(), po::value<std::string>());
    }
  }
  return named;
}

bool may_lack_value(const po::option& option) {
  return option.position_key < 0 && option_row(option.string_key).argument.starts_with('[');
}

// Boost refuses a repeated option only if it has a value; this refuses it for options whose value is optional.
void refuse_twice(const po::parsed_options& parsed) {
  std::set<std::string_view> seen;
  for (const po::option& option : parsed.options) {
    if (!may_lack_value(option) || seen.insert(option.string_key).second) continue;
    throw usage_error("option '--" + option.string_key + "' cannot be specified more than once");
  }
}

// The value of an option "[=FORM]" must follow a "=". Boost also takes the next word as its value, but here that word
// is the duration, so it is put back as a positional argument after the option.
void give_back_durations(po::parsed_options& parsed) {
  for (std::size_t i = 0; i < parsed.options.size(); ++i) {
    po::option& option = parsed.options[i];
    if (!may_lack_value(option) || option.original_tokens.size() != 2) continue;
    // An empty value is not the same as no value.
    if (option.value.front().empty()) throw bad_value(option.string_key, "''", "not a value");
    if (!option_row(option.string_key).argument.starts_with("[=")) continue;
    const po::option duration(positional_name, option.value);
    option.value.clear();
    option.original_tokens.pop_back();
    parsed.options.insert(parsed.options.begin() + static_cast<std::ptrdiff_t>(++i), duration);
  }
}

// Words that people try as options, and how what they mean is asked for.
struct Wish {
  std::string_view word;
  std::string_view way;
};
constexpr Wish wishes[] = {
    {"duration", "the duration has no option: profile 10"},
    {"leak", "-e malloc --live shows memory that is not freed"},
    {"leaks", "-e malloc --live shows memory that is not freed"},
    {"memory", "-e malloc shows allocations, with --live what is not freed"},
    {"heap", "-e malloc shows allocations, with --live what is not freed"},
    {"lock", "-e futex shows waits for locks, -e off-cpu --waker who ends them"},
    {"locks", "-e futex shows waits for locks, -e off-cpu --waker who ends them"},
    {"wait", "-e off-cpu shows waits"},
    {"name", "--comm NAME takes threads by their name, -p LIST processes by their number"},
    {"process", "-p LIST takes processes by their number, --comm NAME threads by their name"},
    {"thread", "-L LIST takes threads by their number, --comm NAME by their name"},
    {"flamegraph", "-o FILE.html writes a flame graph"},
    {"flame", "-o FILE.html writes a flame graph"},
};

std::string nearest_option(const std::string& typed) {
  const std::string name = typed.substr(std::min(typed.find_first_not_of('-'), typed.size()));
  if (const auto* const wish = std::ranges::find(wishes, name, &Wish::word); wish != std::end(wishes)) {
    return "; " + std::string(wish->way);
  }
  std::vector<std::string> names;
  for (const OptionRow& row : option_rows()) names.emplace_back(row.long_name);
  std::vector<std::string> nearest = nearest_names(name, std::move(names));
  for (std::string& each : nearest) each.insert(0, "--");
  return suggestion("; ", nearest);
}

}  // namespace

std::string spelled(std::string_view long_name) {
  const OptionRow& row = option_row(long_name);
  return row.short_name != 0 ? std::string{'-', row.short_name} : "--" + std::string(long_name);
}

ParsedOptions::ParsedOptions(const std::vector<std::string>& arguments) {
  po::options_description all;
  all.add(described_options()).add_options()(positional_name, po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(positional_name, -1);
  try {
    po::parsed_options parsed = po::command_line_parser(arguments).options(all).positional(positional).run();
    refuse_twice(parsed);
    give_back_durations(parsed);
    po::store(parsed, values_);
  } catch (const po::unknown_option& error) {
    throw usage_error(error.what() + nearest_option(error.get_option_name()));
  } catch (const po::error& error) {
    throw usage_error(error.what());
  }
  if (has("config")) read_config(text("config"));
}

void ParsedOptions::read_config(const std::string& path) {
  constexpr std::size_t most_bytes = 1 << 20;
  constexpr std::string_view only_typed[] = {"config",      "check",          "help",      "version",
                                             "list-events", "list-languages", "completion"};
  const std::string where = "--config " + path;
  const auto content = read_text_file(path, most_bytes);
  if (!content) throw system_error(where, errno);
  try {
    std::istringstream in(*content);
    const po::options_description named = described_options();  // store() reads it, too
    const po::parsed_options parsed = po::parse_config_file(in, named);
    for (const po::option& option : parsed.options) {
      if (std::ranges::find(only_typed, option.string_key) == std::end(only_typed)) continue;
      throw usage_error(where + ": " + option.string_key + " has no meaning in a file");
    }
    po::store(parsed, values_);
  } catch (const po::unknown_option& error) {
    throw usage_error(where + ": no option is called " + error.get_option_name() +
                      nearest_option(error.get_option_name()));
  } catch (const po::invalid_config_file_syntax& error) {
    throw usage_error(where + ": '" + error.tokens() + "' is not of the form NAME=VALUE; a switch is NAME=on");
  } catch (const po::error& error) {
    throw usage_error(where + ": " + error.what());
  }
}

bool ParsedOptions::has(std::string_view name) const { return values_.count(std::string(name)) != 0; }
bool ParsedOptions::is_on(std::string_view name) const { return values_[std::string(name)].as<bool>(); }
bool ParsedOptions::is_given(std::string_view name) const {
  return option_row(name).argument.empty() ? is_on(name) : has(name);
}

std::string ParsedOptions::text(const char* name) const { return has(name) ? values_[name].as<std::string>() : ""; }

std::vector<std::string> ParsedOptions::texts(const char* name, const char* if_empty) const {
  if (!has(name)) return {};
  const auto& all = values_[name].as<std::vector<std::string>>();
  if (if_empty != nullptr && std::count(all.begin(), all.end(), "") != 0) throw bad_value(name, "''", if_empty);
  return all;
}

std::optional<std::size_t> ParsedOptions::choice(const char* name) const {
  if (!has(name)) return std::nullopt;
  const std::string typed = text(name);
  const Choices choices = option_row(name).choices();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].word == typed) return i;
  }
  throw bad_value(name, typed.empty() ? "''" : typed,
                  "not one of " + joined(choices, ", ", [](const Choice& choice) { return choice.word; }));
}

std::vector<std::string> ParsedOptions::positional() const { return texts(positional_name); }

std::uint64_t ParsedOptions::number(const char* name, std::uint64_t absent, std::uint64_t highest,
                                    std::uint64_t lowest) const {
  if (!has(name)) return absent;
  const std::string value = text(name);
  const auto parsed = parse_number<std::uint64_t>(value);
  if (!parsed) throw bad_value(name, value, "not a whole number");
  if (*parsed < lowest) throw bad_value(name, value, "must be at least " + std::to_string(lowest));
  if (*parsed > highest) throw bad_value(name, value, "must be at most " + std::to_string(highest));
  return *parsed;
}

std::vector<std::uint32_t> ParsedOptions::ids(const char* name, const char* what) const {
  std::vector<std::uint32_t> all;
  for (const std::string& list : texts(name)) {
    std::string_view rest = list;
    for (bool has_more = true; has_more;) {
      has_more = rest.find(',') != rest.npos;
      const auto id = parse_number<std::uint32_t>(take_until(rest, ','));
      if (!id || *id == 0 || *id > highest_pid) {
        const bool has_letter = list.find_first_not_of("0123456789,- ") != list.npos;
        throw bad_value(
            name, list,
            std::string("not a ") + what + " id" + (has_letter ? "; --comm NAME takes threads by their name" : ""));
      }
      all.push_back(*id);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void ParsedOptions::exclude(std::initializer_list<const char*> names) const {
  const char* first = nullptr;
  for (const char* name : names) {
    if (!is_given(name)) continue;
    if (first != nullptr) throw usage_error(spelled(first) + " and " + spelled(name) + " exclude each other");
    first = name;
  }
}

Error bad_value(std::string_view option, std::string_view value, const std::string& why) {
  return usage_error(spelled(option) + " " + std::string(value) + ": " + why);
}

CpuList cpus_of(const ParsedOptions& parsed) {
  if (!parsed.has("cpu")) return {};
  const std::string typed = parsed.text("cpu");
  const auto cpus = parse_cpu_list(typed);
  if (!cpus) throw bad_value("cpu", typed, "not a list of CPUs like 0 or 0,2-3");
  return *cpus;
}

std::optional<double> parse_seconds(std::string_view text) {
  const auto number = parse_number<double>(text);
  if (!number || !std::isfinite(*number) || *number <= 0 || *number > longest_seconds) return std::nullopt;
  return number;
}

}  // namespace profile
