// Boost.Program_options splits the command line; what the values mean is checked here, with errors that name the option
// and the value.
#include "app/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>

#include "model/syscall_analysis.h"
#include "support/error.h"

namespace profile {
namespace {

namespace po = boost::program_options;

constexpr std::uint32_t highest_pid = 1U << 22;          // PID_MAX_LIMIT of the kernel
constexpr std::uint32_t highest_map_size = 1U << 26;     // beyond that the kernel's own arithmetic refuses
constexpr std::uint32_t highest_stack_depth = 1U << 16;  // the kernel's bound is a sysctl; this one is about sense
constexpr double longest_seconds = 1e9;                  // 31 years

const OptionRow& row_of(std::string_view long_name) {
  const auto rows = option_rows();
  return *std::find_if(rows.begin(), rows.end(), [&](const OptionRow& row) { return row.long_name == long_name; });
}

// As it stands in messages: "-p", "--cgroup".
std::string spelled(std::string_view long_name) {
  const OptionRow& row = row_of(long_name);
  return row.short_name != 0 ? std::string{'-', row.short_name} : "--" + std::string(long_name);
}

Error bad_value(std::string_view option, std::string_view value, const std::string& why) {
  return usage_error(spelled(option) + " " + std::string(value) + ": " + why);
}

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> seconds(std::string_view text) {
  const auto number = whole<double>(text);
  if (!number || !std::isfinite(*number) || *number <= 0 || *number > longest_seconds) return std::nullopt;
  return number;
}

class Parsed {
 public:
  explicit Parsed(const std::vector<std::string>& arguments) {
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
    po::options_description all;
    all.add(named).add_options()("duration", po::value<std::vector<std::string>>());
    po::positional_options_description positional;
    positional.add("duration", -1);
    try {
      po::store(po::command_line_parser(arguments).options(all).positional(positional).run(), values_);
    } catch (const po::error& error) {
      throw usage_error(error.what());
    }
  }

  [[nodiscard]] bool has(std::string_view name) const { return values_.count(std::string(name)) != 0; }
  [[nodiscard]] bool is_on(const char* name) const { return values_[name].as<bool>(); }
  [[nodiscard]] std::string text(const char* name) const { return has(name) ? values_[name].as<std::string>() : ""; }
  [[nodiscard]] std::vector<std::string> texts(const char* name) const {
    return has(name) ? values_[name].as<std::vector<std::string>>() : std::vector<std::string>{};
  }

  // The value of `name` as a number of at least `lowest`, or `absent`.
  [[nodiscard]] std::uint64_t number(const char* name, std::uint64_t absent, std::uint64_t highest,
                                     std::uint64_t lowest = 1) const {
    if (!has(name)) return absent;
    const std::string value = text(name);
    const auto parsed = whole<std::uint64_t>(value);
    if (!parsed) throw bad_value(name, value, "not a whole number");
    if (*parsed < lowest) throw bad_value(name, value, "must be at least " + std::to_string(lowest));
    if (*parsed > highest) throw bad_value(name, value, "must be at most " + std::to_string(highest));
    return *parsed;
  }

  // The ids of all occurrences of `name`: ascending, each once.
  [[nodiscard]] std::vector<std::uint32_t> ids(const char* name, const char* what) const {
    std::vector<std::uint32_t> all;
    for (const std::string& list : texts(name)) {
      std::string_view rest = list;
      for (;;) {
        const std::string_view item = rest.substr(0, rest.find(','));
        const auto id = whole<std::uint32_t>(item);
        if (!id || *id == 0 || *id > highest_pid) throw bad_value(name, list, std::string("not a ") + what + " id");
        all.push_back(*id);
        if (item.size() == rest.size()) break;
        rest.remove_prefix(item.size() + 1);
      }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  po::variables_map values_;
};

// The first two options of `names` that were both given exclude each other.
void exclude(std::initializer_list<std::pair<const char*, bool>> names) {
  const char* first = nullptr;
  for (const auto& [name, given] : names) {
    if (!given) continue;
    if (first != nullptr) throw usage_error(spelled(first) + " and " + spelled(name) + " exclude each other");
    first = name;
  }
}

// "a, b, c"
template <class Range, class Name>
std::string listed(const Range& range, Name name) {
  std::string names;
  for (const auto& item : range) names += (names.empty() ? "" : ", ") + std::string(name(item));
  return names;
}

std::string names_of_formats() {
  return listed(output_formats(), [](const OutputFormat& format) { return format.name; });
}

std::vector<OutputRequest> outputs_of(const Parsed& parsed, const SourceKind& source) {
  const OutputFormat* forced = nullptr;
  if (parsed.has("format")) {
    const std::string name = parsed.text("format");
    forced = find_output_format(name);
    if (forced == nullptr) throw bad_value("format", name, "no such format; there are " + names_of_formats());
  }
  // -f and -r choose for stdout and for files whose ending says nothing; --format overrides endings too.
  const OutputFormat* fallback = find_output_format(source.default_format);
  if (parsed.is_on("folded")) fallback = find_output_format("folded");
  if (parsed.is_on("residency")) fallback = find_output_format("residency");

  std::vector<OutputRequest> requests;
  std::vector<std::string> paths = parsed.texts("output");
  if (paths.empty()) paths.emplace_back("-");
  for (const std::string& path : paths) {
    if (path.empty()) throw bad_value("output", "''", "not a file name");
    const bool twice =
        std::any_of(requests.begin(), requests.end(), [&](const auto& other) { return other.path == path; });
    if (twice) throw bad_value("output", path, "given twice");
    const OutputFormat* by_ending = output_format_of_path(path);
    requests.push_back({.path = path,
                        .format = forced != nullptr      ? forced
                                  : by_ending != nullptr ? by_ending
                                                         : fallback});
  }
  return requests;
}

const SourceKind& source_of(const Parsed& parsed) {
  if (!parsed.has("event")) return source_kinds().front();
  const std::string event = parsed.text("event");
  if (const SourceKind* kind = find_source_kind(event)) return *kind;
  std::string why = "no such event";
  const std::vector<std::string> nearest = nearest_source_names(event);
  if (!nearest.empty()) why += "; the nearest: " + listed(nearest, [](const std::string& name) { return name; });
  throw bad_value("event", event.empty() ? "''" : event, why + "; --list-events names all");
}

WaitState wait_state_of(const Parsed& parsed) {
  constexpr std::pair<std::string_view, WaitState> states[] = {{"any", WaitState::any},
                                                               {"preempted", WaitState::preempted},
                                                               {"interruptible", WaitState::interruptible},
                                                               {"uninterruptible", WaitState::uninterruptible}};
  const std::string typed = parsed.has("state") ? parsed.text("state") : "any";
  for (const auto& [name, state] : states) {
    if (typed == name) return state;
  }
  throw bad_value("state", typed, "not one of " + listed(states, [](const auto& state) { return state.first; }));
}

// The options that only some sources take, and whether they are given.
SourceOptions source_options_of(const Parsed& parsed, const SourceKind& source) {
  for (const char* name :
       {"min-block-us", "max-block-us", "state", "latency", "failed", "by-process", "category", "live"}) {
    const bool given = row_of(name).argument.empty() ? parsed.is_on(name) : parsed.has(name);
    const std::string padded = " " + std::string(source.takes) + " ";
    if (given && padded.find(" " + std::string(name) + " ") == std::string::npos) {
      throw usage_error("--" + std::string(name) + " is not for -e " + std::string(source.name));
    }
  }
  SourceOptions options;
  options.min_block_us = parsed.number("min-block-us", 0, UINT64_MAX, 0);
  options.max_block_us = parsed.number("max-block-us", UINT64_MAX, UINT64_MAX);
  if (options.min_block_us > options.max_block_us) {
    throw bad_value("min-block-us", parsed.text("min-block-us"), "more than --max-block-us");
  }
  options.wait_state = wait_state_of(parsed);
  options.latency = parsed.is_on("latency");
  options.failed = parsed.is_on("failed");
  options.by_process = parsed.is_on("by-process");
  options.live = parsed.is_on("live");
  if (parsed.has("category")) {
    const std::string typed = parsed.text("category");
    const SyscallCategory* category = find_syscall_category(typed);
    if (category == nullptr) throw bad_value("category", typed, "no such category");
    options.category = *category;
  }
  return options;
}

const StreamForm* stream_of(const Parsed& parsed) {
  if (!parsed.has("stream")) return nullptr;
  const std::string typed = parsed.text("stream");
  const StreamForm* form = typed.empty() ? &stream_forms().front() : find_stream_form(typed);
  if (form == nullptr) {
    throw bad_value("stream", typed, "no such form; there are " + listed(stream_forms(), [](const StreamForm& known) {
                                       return known.name;
                                     }));
  }
  for (const char* name : {"folded", "residency"}) exclude({{"stream", true}, {name, parsed.is_on(name)}});
  for (const char* name : {"format", "interval"}) exclude({{"stream", true}, {name, parsed.has(name)}});
  if (parsed.texts("output").size() > 1) throw usage_error("--stream goes to one output only");
  return form;
}

SamplingOptions sampling_of(const Parsed& parsed) {
  SamplingOptions sampling;
  if (parsed.has("event")) sampling.event = parsed.text("event");
  sampling.tgids = parsed.ids("pid", "process");
  sampling.tids = parsed.ids("tid", "thread");
  if (parsed.has("cpu")) {
    const std::string typed = parsed.text("cpu");
    const auto cpus = parse_cpu_list(typed);
    if (!cpus) throw bad_value("cpu", typed, "not a list of CPUs like 0 or 0,2-3");
    sampling.cpus = *cpus;
  }
  const auto path = [&](const char* name) {
    if (parsed.has(name) && parsed.text(name).empty()) throw bad_value(name, "''", "not a path");
    return parsed.text(name);
  };
  sampling.cgroup_path = path("cgroup");
  sampling.cgroup_map_path = path("cgroupmap");
  sampling.mntns_map_path = path("mntnsmap");
  sampling.include_idle = parsed.is_on("include-idle");
  sampling.user_stacks = !parsed.is_on("kernel-stacks-only");
  sampling.kernel_stacks = !parsed.is_on("user-stacks-only");
  if (parsed.has("count")) sampling.period_events = parsed.number("count", 0, INT64_MAX);
  if (parsed.has("frequency")) sampling.frequency_hz = parsed.number("frequency", 0, INT32_MAX);
  const auto size = [&](const char* name, std::uint32_t absent, std::uint32_t highest) {
    return static_cast<std::uint32_t>(parsed.number(name, absent, highest));
  };
  sampling.histogram_entries = size("hash-storage-size", sampling.histogram_entries, highest_map_size);
  sampling.stack_entries = size("stack-storage-size", sampling.stack_entries, highest_map_size);
  sampling.max_stack_depth = size("max-stack-depth", sampling.max_stack_depth, highest_stack_depth);
  return sampling;
}

// The one positional argument.
std::optional<double> duration_of(const Parsed& parsed, bool has_command) {
  const std::vector<std::string> typed = parsed.texts("duration");
  if (typed.empty()) return std::nullopt;
  if (has_command) throw usage_error(typed[0] + ": a duration and a command exclude each other");
  if (typed.size() > 1) throw usage_error(typed[1] + ": one duration is enough; a command stands behind --");
  const auto duration = seconds(typed[0]);
  if (!duration) throw usage_error("duration " + typed[0] + ": not a number of seconds above 0");
  return duration;
}

// Whether stacks are to be taken at all. A source that is about tables takes them only for a format of stacks.
bool shows_stacks(const Options& options) {
  const bool by_nature = find_output_format(options.source->default_format)->shows != Shows::tables;
  if (by_nature || options.stream != nullptr) return true;
  return std::any_of(options.outputs.begin(), options.outputs.end(),
                     [](const OutputRequest& output) { return output.format->shows == Shows::stacks; });
}

}  // namespace

Options parse_options(std::span<const char* const> arguments) {
  const auto dashes =
      std::find_if(arguments.begin(), arguments.end(), [](const char* word) { return std::string_view(word) == "--"; });
  const Parsed parsed(std::vector<std::string>(arguments.begin(), dashes));

  Options options;
  options.help = parsed.is_on("help");
  options.version = parsed.is_on("version");
  options.list_events = parsed.is_on("list-events");
  if (options.help || options.version || options.list_events) return options;

  if (dashes != arguments.end()) {
    options.command.assign(dashes + 1, arguments.end());
    if (options.command.empty()) throw usage_error("no command behind --");
    options.sampling.follow_children = true;
  }
  const bool one_part = parsed.is_on("user-stacks-only") || parsed.is_on("kernel-stacks-only");
  exclude({{"pid", parsed.has("pid")}, {"tid", parsed.has("tid")}});
  exclude({{"frequency", parsed.has("frequency")}, {"count", parsed.has("count")}});
  exclude({{"user-stacks-only", parsed.is_on("user-stacks-only")},
           {"kernel-stacks-only", parsed.is_on("kernel-stacks-only")}});
  exclude(
      {{"folded", parsed.is_on("folded")}, {"residency", parsed.is_on("residency")}, {"format", parsed.has("format")}});
  if (parsed.is_on("delimited") && one_part) throw usage_error("-d needs both stacks: not with -U or -K");
  if (!options.command.empty() && (parsed.has("pid") || parsed.has("tid"))) {
    throw usage_error("-p and -L exclude a command: it is what is sampled");
  }

  const bool follow = options.sampling.follow_children;
  options.source = &source_of(parsed);
  options.sampling = sampling_of(parsed);
  options.sampling.follow_children = follow;
  options.sampling.source = source_options_of(parsed, *options.source);
  options.sampling.interval = parsed.has("interval");
  options.stream = stream_of(parsed);
  options.sampling.stream = options.stream != nullptr;
  options.cpus_typed = parsed.text("cpu");
  options.duration_s = duration_of(parsed, follow);
  if (parsed.has("interval")) {
    const std::string typed = parsed.text("interval");
    options.interval_s = seconds(typed);
    if (!options.interval_s) throw bad_value("interval", typed, "not a number of seconds above 0");
  }
  options.symbols.debug_directories = parsed.texts("debug-dir");
  for (const std::string& directory : options.symbols.debug_directories) {
    if (directory.empty()) throw bad_value("debug-dir", "''", "not a directory");
  }
  options.symbols.lines = parsed.is_on("lines");
  options.output.show_modules = parsed.is_on("modules");
  options.symbols.debuginfod = parsed.is_on("debuginfod");
  options.output.delimited = parsed.is_on("delimited");
  options.output.annotate_kernel = parsed.is_on("annotations");
  options.output.show_addresses = parsed.is_on("address");
  options.output.top = parsed.number("top", options.output.top, UINT32_MAX);
  options.outputs = outputs_of(parsed, *options.source);
  if (!shows_stacks(options)) {
    if (one_part) throw usage_error("-U and -K are about stacks, and no format that shows them is asked for");
    options.sampling.user_stacks = false;
    options.sampling.kernel_stacks = false;
  }
  exclude({{"quiet", parsed.is_on("quiet")}, {"verbose", parsed.is_on("verbose")}});
  options.quiet = parsed.is_on("quiet");
  options.verbose = parsed.is_on("verbose");
  return options;
}

}  // namespace profile
