// Turns the values of the command line into Options, and checks that they fit together.
#include "app/options.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "abi/record.h"
#include "abi/walk.h"
#include "app/output_options.h"
#include "app/parsed_options.h"
#include "app/print.h"
#include "app/recording_options.h"
#include "app/subcommands.h"
#include "interpret/interpreter.h"
#include "support/error.h"
#include "support/nearest_names.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// At the default rate a picture of one second has only about three samples when little runs, so films sample faster. A
// prime does not run in step with any timer.
constexpr std::uint64_t film_frequency_hz = 997;

constexpr std::uint32_t highest_map_size = 1U << 26;     // the kernel refuses larger maps
constexpr std::uint64_t most_symbol_budget = 100;        // minutes of reading; longer waits make no sense
constexpr std::uint32_t highest_stack_depth = 1U << 16;  // a sanity limit; the kernel's own limit is a sysctl

const SourceKind& source_of(const std::string& event) {
  if (const SourceKind* kind = find_source_kind(event)) return *kind;
  if (const std::size_t comma = event.find(','); comma != std::string::npos && comma != 0) {
    const std::string first = event.substr(0, comma);
    if (find_source_kind(first) != nullptr) {
      throw bad_value("event", event, "one event each: -e " + first + " -e " + event.substr(comma + 1));
    }
  }
  std::string why = "no such event";
  why += suggestion("; ", nearest_source_names(event));
  throw bad_value("event", event.empty() ? "''" : event, why + "; --list-events names all");
}

// The value of an enum whose values are in the order of the option's choices; 0 if the option is not given.
template <class Enum>
Enum chosen(const ParsedOptions& parsed, const char* option) {
  return static_cast<Enum>(parsed.choice(option).value_or(0));
}

// A bit for each script_language.
std::uint32_t languages_of(const ParsedOptions& parsed) {
  const std::vector<std::string_view> names = language_names();
  constexpr std::uint32_t first = SCRIPT_NONE + 1;
  if (!parsed.has("languages")) return ((1U << names.size()) - 1) << first;
  const std::string typed = parsed.text("languages");
  if (typed == "none") return 0;
  std::uint32_t languages = 0;
  for (std::size_t at = 0; at <= typed.size();) {
    const std::size_t end = std::min(typed.find(',', at), typed.size());
    const std::string name = typed.substr(at, end - at);
    at = end + 1;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw bad_value("languages", typed.empty() ? "''" : typed,
                      "'" + name + "' is no language that is known here; 'none' is for no language");
    }
    languages |= 1U << (first + static_cast<std::uint32_t>(found - names.begin()));
  }
  return languages;
}

bool takes(const SourceKind& source, std::string_view option) {
  return (" " + std::string(source.takes) + " ").find(" " + std::string(option) + " ") != std::string::npos;
}

// Throws if an option is given that only other sources take.
void refuse_options_of_others(const ParsedOptions& parsed, std::span<const EventOptions> events) {
  for (const OptionRow& row : option_rows()) {
    const auto takes_it = [&](const SourceKind& kind) { return takes(kind, row.long_name); };
    if (!parsed.is_given(row.long_name) || std::ranges::none_of(source_kinds(), takes_it)) continue;
    if (std::ranges::any_of(events, [&](const EventOptions& event) { return takes_it(*event.kind); })) continue;
    throw usage_error("--" + std::string(row.long_name) + " is not for -e " + std::string(events.front().kind->name));
  }
}

// The options that the source takes.
SourceOptions source_options_of(const ParsedOptions& parsed, const SourceKind& source) {
  const auto is_on = [&](const char* name) { return takes(source, name) && parsed.is_on(name); };
  SourceOptions options;
  if (takes(source, "min-block-us")) {
    options.min_block_us = parsed.number("min-block-us", 0, UINT64_MAX, 0);
    options.max_block_us = parsed.number("max-block-us", UINT64_MAX, UINT64_MAX);
    if (options.min_block_us > options.max_block_us) {
      throw bad_value("min-block-us", parsed.text("min-block-us"), "more than --max-block-us");
    }
  }
  if (takes(source, "state")) options.wait_state = chosen<WaitState>(parsed, "state");
  options.waker = is_on("waker");
  options.ended_waits = is_on("ended-waits");
  options.latency = is_on("latency");
  options.failed = is_on("failed");
  options.by_process = is_on("by-process");
  options.live = is_on("live");
  const auto category = parsed.choice("category");
  if (category && takes(source, "category")) options.category = static_cast<SyscallCategory>(*category);
  return options;
}

std::vector<EventOptions> events_of(const ParsedOptions& parsed) {
  std::vector<std::string> names = parsed.texts("event");
  if (names.empty()) names.emplace_back(source_kinds().front().name);
  std::vector<EventOptions> events;
  for (const std::string& name : names) {
    if (std::ranges::count(events, name, &EventOptions::name) != 0) throw bad_value("event", name, "given twice");
    const SourceKind& kind = source_of(name);
    events.push_back({.kind = &kind, .name = name, .source = source_options_of(parsed, kind)});
  }
  refuse_options_of_others(parsed, events);
  return events;
}

const StreamForm* stream_of(const ParsedOptions& parsed) {
  if (!parsed.has("stream")) return nullptr;
  // --stream without a form is the first.
  const std::size_t form = parsed.text("stream").empty() ? 0 : *parsed.choice("stream");
  parsed.exclude({"stream", "interval"});
  return &stream_forms()[form];
}

SamplingOptions sampling_of(const ParsedOptions& parsed) {
  SamplingOptions sampling;
  sampling.tgids = parsed.ids("pid", "process");
  sampling.tids = parsed.ids("tid", "thread");
  sampling.names = parsed.texts("comm", "not a thread's name");
  if (sampling.names.size() > PROFILE_MOST_NAMES) {
    throw usage_error("--comm: at most " + std::to_string(PROFILE_MOST_NAMES) + " names; NAME* stands for many");
  }
  sampling.cpus = cpus_of(parsed);
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
  sampling.sizes_are_asked = parsed.has("hash-storage-size") || parsed.has("stack-storage-size");
  sampling.histogram_entries = size("hash-storage-size", sampling.histogram_entries, highest_map_size);
  sampling.stack_entries = size("stack-storage-size", sampling.stack_entries, highest_map_size);
  sampling.unwinding = chosen<Unwinding>(parsed, "unwind");
  sampling.languages = languages_of(parsed);
  sampling.script_lines = parsed.is_on("lines");
  if (parsed.has("max-stack-depth")) {
    sampling.max_stack_depth = size("max-stack-depth", sampling.max_stack_depth, highest_stack_depth);
    sampling.walk_depth = std::min<std::uint32_t>(sampling.max_stack_depth, WALK_MOST_FRAMES);
  }
  return sampling;
}

// The one positional argument.
std::optional<double> duration_of(const ParsedOptions& parsed, bool has_command) {
  const std::vector<std::string> typed = parsed.positional();
  if (typed.empty()) return std::nullopt;
  if (has_command)
    throw usage_error(typed[0] +
                      ": a duration and a command exclude each other; timeout(1) in front of the command ends it");
  if (parsed.has("stream") && find_stream_form(typed[0]) != nullptr) {
    throw usage_error("--stream " + typed[0] + ": a form stands behind =, as in --stream=" + typed[0]);
  }
  const auto duration = parse_seconds(typed[0]);
  if (!duration && !typed[0].empty() && typed[0].find_first_of("0123456789") == std::string::npos) {
    std::vector<std::string> names;
    for (const Subcommand* const each : subcommands()) names.emplace_back(each->name);
    std::vector<std::string> nearest = nearest_names(typed[0], names);
    if (nearest.size() == names.size()) nearest.clear();  // it is like none of them
    throw usage_error(typed[0] +
                      ": neither a duration nor a subcommand; a command stands behind --, as in profile -- " +
                      typed[0] + suggestion("; ", nearest));
  }
  if (!duration) throw usage_error("duration " + typed[0] + ": not a number of seconds above 0");
  if (typed.size() > 1)
    throw usage_error(typed[1] + ": one duration is enough; a command stands behind --, as in profile -- make");
  return duration;
}

// --top without a number.
bool wants_top_view(const ParsedOptions& parsed) { return parsed.has("top") && parsed.text("top").empty(); }

// Whether the user watches the run while it goes on, so that it needs no report on stdout.
bool is_watched(const ParsedOptions& parsed) { return parsed.is_on("serve") || wants_top_view(parsed); }

void refuse_for_views(const ParsedOptions& parsed, const Options& options) {
  for (const char* name : {"serve", "film", "frames"}) parsed.exclude({"stream", name});
  if (!options.top_view) return;
  parsed.exclude({"stream", "top"});
  parsed.exclude({"verbose", "top"});
  for (const auto* const outputs : {&options.outputs, &options.timed_outputs}) {
    if (std::ranges::count(*outputs, "-", &OutputRequest::path) == 0) continue;
    throw usage_error("--top has the terminal: reports need a file, by -o");
  }
}

// Whether the run takes stacks at all. A source whose default format shows tables takes them only for a sink that shows
// stacks.
bool shows_stacks(const Options& options) {
  const auto has_stacks = [](const EventOptions& event) {
    return find_output_format(event.kind->default_format)->shows != Shows::tables;
  };
  return std::ranges::any_of(options.events, has_stacks) || std::ranges::any_of(options.sinks, &SinkRequest::stacks);
}

// Reads the options that print something instead of sampling. True: one is given, and all other options are ignored.
bool read_texts(const ParsedOptions& parsed, Options& options) {
  options.help = parsed.is_on("help");
  options.help_all = options.help && parsed.positional() == std::vector<std::string>{"all"};
  options.version = parsed.is_on("version");
  options.list_events = parsed.is_on("list-events");
  options.list_languages = parsed.is_on("list-languages");
  if (parsed.choice("completion")) options.completion = parsed.text("completion");
  return options.help || options.version || options.list_events || options.list_languages ||
         !options.completion.empty();
}

// Takes the first path for the stream; the others are for reports.
std::string take_stream_path(const ParsedOptions& parsed, std::vector<std::string>& paths) {
  for (const char* name : {"folded", "residency", "format"}) {
    if (paths.size() < 2) parsed.exclude({"stream", name});
  }
  if (paths.empty()) return "-";
  const std::string first = paths.front();
  paths.erase(paths.begin());
  if (first.empty()) throw bad_value("output", "''", "not a file name");
  if (std::ranges::count(paths, first) != 0) throw bad_value("output", first, "given twice");
  if (is_gzip_path(first)) throw bad_value("output", first, "a stream is not compressed; pipe it through gzip");
  return only_path(first);
}

bool wants_one_part(const ParsedOptions& parsed) {
  return parsed.is_on("user-stacks-only") || parsed.is_on("kernel-stacks-only");
}
bool wants_film(const ParsedOptions& parsed) { return parsed.is_on("film") || parsed.has("frames"); }

void refuse_contradictions(const ParsedOptions& parsed, bool has_command) {
  for (const OptionRow& row : option_rows()) {
    if (!row.is_for_files || !parsed.is_given(row.long_name)) continue;
    throw usage_error(spelled(row.long_name) + " is for profile report and diff, which read files");
  }
  parsed.exclude({"pid", "tid"});
  parsed.exclude({"frequency", "count"});
  parsed.exclude({"user-stacks-only", "kernel-stacks-only"});
  parsed.exclude({"folded", "residency", "format"});
  parsed.exclude({"quiet", "verbose"});
  parsed.exclude({"merge-processes", "per-thread"});
  parsed.exclude({"merge-processes", "stream"});
  if (parsed.is_on("delimited") && wants_one_part(parsed)) {
    throw usage_error("-d needs both stacks: not with -U or -K");
  }
  if (has_command && (parsed.has("pid") || parsed.has("tid"))) {
    throw usage_error("-p and -L exclude a command: it is what is sampled");
  }
}

// "0.5" and "0.5%" are the same. none: there is no limit.
std::optional<double> cpu_limit_of(const ParsedOptions& parsed) {
  if (!parsed.has("cpu-limit")) return std::nullopt;
  const std::string typed = parsed.text("cpu-limit");
  std::string_view number = typed;
  if (number.ends_with('%')) number.remove_suffix(1);
  const auto percent = parse_number<double>(number);
  if (!percent || !(*percent > 0) || *percent > 100) {
    throw bad_value("cpu-limit", typed.empty() ? "''" : typed, "not a share of a CPU above 0 and at most 100 %");
  }
  return percent;
}

void read_sampling(const ParsedOptions& parsed, Options& options) {
  options.events = events_of(parsed);
  options.sampling = sampling_of(parsed);
  options.sampling.is_rate_of_others = options.events.size() > 1;
  options.cpu_limit_percent = cpu_limit_of(parsed);
  options.sampling.may_skip_ticks = options.cpu_limit_percent.has_value();
  options.sampling.follow_children = !options.command.empty();
  if (!options.command.empty()) options.sampling.command = options.command.front();
  options.stream = stream_of(parsed);
  options.cpus_typed = parsed.text("cpu");
}

void read_times(const ParsedOptions& parsed, Options& options) {
  options.duration_s = duration_of(parsed, !options.command.empty());
  if (parsed.has("interval")) {
    const std::string typed = parsed.text("interval");
    options.interval_s = parse_seconds(typed);
    if (!options.interval_s) throw bad_value("interval", typed, "not a number of seconds above 0");
  } else if (wants_film(parsed)) {
    options.interval_s = 1;
  }
  if (wants_film(parsed)) options.sampling.default_frequency_hz = film_frequency_hz;
}

// A page can save what it has shown. Events without a rate may come a million times a second, too many to keep each.
void read_recording_of_page(const ParsedOptions& parsed, Options& options) {
  constexpr std::uint64_t usual_bytes = 32 << 20;
  const bool has_rate = options.events.front().kind->has_rate && !parsed.has("count");
  options.records_for_page = parsed.is_on("serve") && options.recording_path.empty() && has_rate;
  if (options.records_for_page && options.recording_limits.max_bytes == 0) {
    options.recording_limits.max_bytes = usual_bytes;
  }
}

// What makes no sense with a recording, or without one.
void refuse_for_recording(const ParsedOptions& parsed, const Options& options) {
  const RecordingLimits& limits = options.recording_limits;
  if (options.records_for_page) return;
  if (options.recording_path.empty()) {
    if (parsed.has("max-size")) throw usage_error("--max-size is for a recording: not without -o FILE.db");
    if (limits.keep_s != 0) {
      throw bad_value("keep", parsed.text("keep"), "a time is for a recording; files are kept by number");
    }
    return;
  }
  if (parsed.is_on("live")) throw usage_error("--live shows a state, and a recording has samples");
}

// Moves the outputs whose formats need the time of each sample away from the reports.
void take_timed_outputs(Options& options) {
  const auto rest = std::stable_partition(options.outputs.begin(), options.outputs.end(),
                                          [](const OutputRequest& output) { return needs_times(*output.format); });
  options.timed_outputs.assign(options.outputs.begin(), rest);
  options.outputs.erase(options.outputs.begin(), rest);
  check_outputs(options.timed_outputs, false, false);
}

// A view, a stream and stdout show one event. The files of several get the names of the events.
void refuse_for_several_events(const ParsedOptions& parsed, const Options& options) {
  if (is_watched(parsed) || options.stream != nullptr || wants_film(parsed)) {
    throw usage_error("-T, --top, --stream and -E show one event: several -e need files (-o)");
  }
  for (const OutputRequest& output : options.outputs) {
    if (output.path == "-") throw usage_error("several -e need files (-o): stdout shows one event");
  }
}

// Without any other sink, the run prints a report on stdout.
void read_sinks(const ParsedOptions& parsed, const std::vector<std::string>& paths, Options& options) {
  for (const bool for_stdout : {false, true}) {
    options.outputs = outputs_of(parsed, paths, options.events.front().kind->default_format, for_stdout);
    take_timed_outputs(options);
    options.sinks = requested_sinks(parsed, options);
    if (!options.sinks.empty()) return;
  }
}

// A sample has no place for the waker's stack.
void refuse_for_samples(const ParsedOptions& parsed, const Options& options) {
  const auto request = std::ranges::find_if(options.sinks, &SinkRequest::takes_samples);
  if (request == options.sinks.end() || !parsed.is_on("waker")) return;
  throw usage_error("--waker cannot be combined with " + request->name);
}

// What the sinks want together.
void read_wants(Options& options) {
  SamplingOptions& sampling = options.sampling;
  sampling.each_sample = std::ranges::any_of(options.sinks, &SinkRequest::takes_samples);
  sampling.rows = std::ranges::any_of(options.sinks, &SinkRequest::takes_profiles);
  const bool apart = std::ranges::any_of(options.sinks, &SinkRequest::apart);
  sampling.by_thread = options.apart.by_thread || apart || sampling.each_sample;
  sampling.by_cpu = options.apart.by_cpu || apart;
}

void read_outputs(const ParsedOptions& parsed, Options& options, bool is_record) {
  options.output = output_options_of(parsed);
  std::vector<std::string> paths = parsed.texts("output");
  options.recording_path = take_recording_path(paths, is_record);
  options.recording_limits = recording_limits_of(parsed);
  read_recording_of_page(parsed, options);
  options.keep = files_to_keep(parsed);
  if (options.stream != nullptr) options.stream_path = take_stream_path(parsed, paths);
  options.top_view = wants_top_view(parsed);
  read_sinks(parsed, paths, options);
  refuse_for_recording(parsed, options);
  if (options.events.size() > 1) refuse_for_several_events(parsed, options);
  refuse_for_samples(parsed, options);
  refuse_for_views(parsed, options);
  check_outputs(options.outputs, options.interval_s.has_value(), options.keep.has_value());
  options.command_lines = parsed.is_on("command-lines");
  options.merge_processes = parsed.is_on("merge-processes");
  options.apart = {.by_thread = parsed.is_on("per-thread"), .by_cpu = parsed.is_on("per-cpu")};
  read_wants(options);
  if (shows_stacks(options)) return;
  if (wants_one_part(parsed)) {
    throw usage_error("-U and -K are about stacks, and no format that shows them is asked for");
  }
  options.sampling.user_stacks = false;
  options.sampling.kernel_stacks = false;
}

std::string host_name() {
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : "";
}

// As RunInfo::left_out. Without any filter only the profiler itself is left out.
std::vector<std::string> left_out_by(const SamplingOptions& sampling, const SourceOptions& source) {
  std::vector<std::string> kinds;
  if (!sampling.cgroup_path.empty() || !sampling.cgroup_map_path.empty()) kinds.emplace_back("other cgroups");
  if (!sampling.mntns_map_path.empty()) kinds.emplace_back("other mount namespaces");
  if (source.wait_state != WaitState::any) kinds.emplace_back("waits in other states");
  if (source.min_block_us != 0) kinds.emplace_back("shorter waits");
  if (source.max_block_us != UINT64_MAX) kinds.emplace_back("longer waits");
  if (source.ended_waits) kinds.emplace_back("waits that did not end");
  if (source.live) kinds.emplace_back("memory that was freed");
  if (source.category) kinds.emplace_back("other system calls");
  const bool has_targets = !sampling.tgids.empty() || !sampling.tids.empty() || !sampling.names.empty() ||
                           sampling.follow_children || !sampling.cpus.empty();
  if (kinds.empty() && !has_targets) kinds.emplace_back("the profiler itself");
  return kinds;
}

}  // namespace

std::string debuginfod_servers() {
  const char* const typed = std::getenv("DEBUGINFOD_URLS");
  std::string servers;
  for (std::string_view rest = typed == nullptr ? "" : typed; !rest.empty();) {
    std::string_view url = take_until(rest, ' ');
    const std::size_t scheme = url.find("://");
    if (scheme == url.npos) continue;
    std::string_view host = url.substr(scheme + 3);
    host = host.substr(0, host.find('/'));
    host.remove_prefix(host.rfind('@') + 1);  // a password may be before it
    servers.append(servers.empty() ? "" : ", ").append(url.substr(0, scheme + 3)).append(host);
  }
  return servers;
}

bool Options::takes_terminal() const {
  if (top_view) return true;
  return stream != nullptr && stream_path == "-" && ::isatty(STDOUT_FILENO) == 1;
}

RunInfo Options::run_info(const EventOptions& event) const {
  RunInfo run;
  run.event = event.name;
  run.frequency_hz = 0;  // unless the source samples at a rate
  run.tgids = sampling.tgids;
  run.tids = sampling.tids;
  run.names = sampling.names;
  run.cpus = cpus_typed;
  if (symbols.debuginfod) run.debuginfod = debuginfod_servers();
  run.left_out = left_out_by(sampling, event.source);
  run.user_stacks = sampling.user_stacks;
  run.kernel_stacks = sampling.kernel_stacks;
  run.frames_by_line = frames_by_line;
  run.processes_by_name = merge_processes;
  run.duration_s = duration_s;
  run.command = command;
  run.host = host_name();
  run.command_line = command_line;
  return run;
}

ReportOptions Options::reports(std::size_t event) const {
  const RowsApart added{.by_thread = sampling.by_thread, .by_cpu = sampling.by_cpu};
  ReportOptions reports{.outputs = outputs,
                        .output = output,
                        .keep = keep,
                        .interval_s = interval_s,
                        .apart = added != apart ? std::optional(apart) : std::nullopt,
                        .quiet = quiet};
  if (events.size() == 1) return reports;
  for (OutputRequest& request : reports.outputs) request.path = path_of_event(request.path, events[event].name);
  return reports;
}

Options parse_options(std::span<const char* const> arguments, bool is_record) {
  const auto dashes =
      std::find_if(arguments.begin(), arguments.end(), [](const char* word) { return std::string_view(word) == "--"; });
  std::vector<std::string> words(arguments.begin(), dashes);
  const bool has_perf_graph = take_out_perf_graph(words);
  const ParsedOptions parsed(words);

  Options options;
  if (read_texts(parsed, options)) return options;
  options.config_path = parsed.text("config");
  options.is_check = parsed.is_on("check");
  options.command_line = (is_record ? "profile record " : "profile ") + shell_quoted(arguments);
  if (has_perf_graph) {
    if (parsed.is_on("film")) throw usage_error("-g: the pictures of a film need a PATTERN, as flamegraph%04d.png");
    options.remarks.emplace_back("-g: stacks are always taken, nothing has to ask for them");
  }
  if (dashes != arguments.end()) {
    options.command.assign(dashes + 1, arguments.end());
    if (options.command.empty()) throw usage_error("no command behind --");
  }
  refuse_contradictions(parsed, !options.command.empty());
  read_sampling(parsed, options);
  options.push = push_options_of(parsed);
  read_times(parsed, options);
  options.symbols.debug_directories = parsed.texts("debug-dir", "not a directory");
  options.sources = parsed.is_on("sources");
  options.symbols.lines = parsed.is_on("lines") || options.sources;
  options.frames_by_line = parsed.is_on("lines") || !options.sources;
  options.symbols.budget = parsed.number("symbol-budget", options.symbols.budget, most_symbol_budget);
  options.symbols.debuginfod = parsed.is_on("debuginfod");
  read_outputs(parsed, options, is_record);
  if (options.sources) require_page(options.outputs);
  options.quiet = parsed.is_on("quiet");
  options.verbose = parsed.is_on("verbose");
  return options;
}

}  // namespace profile
