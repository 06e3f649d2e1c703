#include "app/reading.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <ostream>
#include <utility>

#include "app/options.h"
#include "app/weight.h"
#include "input/profile_reader.h"
#include "output/clean_text.h"
#include "output/text_table.h"
#include "push/asker.h"
#include "push/pusher.h"
#include "push/target.h"
#include "recording/recording.h"
#include "store/reader.h"
#include "support/ascii.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/module.h"
#include "support/plural.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// Some options mean something else here than for a run.
OptionRow as_for_reading(OptionRow row) {
  if (row.long_name == "top") {
    row.argument = "N";
    row.summary = "rows of each table (default 10)";
  }
  if (row.long_name == "event") {
    row.summary = "only this event of the file (default: the first) or of a store (default: cpu-clock)";
  }
  if (row.long_name == "push-auth-file") row.summary = "USER:PASSWORD for a store, in a file only for its owner";
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

// A value of --from or --to.
struct TimeBound {
  std::optional<double> seconds;
  ClockKind clock = ClockKind::of_run;
};

// "14:03" or "14:03:10.5", in seconds since midnight.
std::optional<double> time_of_day(std::string_view text) {
  std::uint32_t hour = 0;
  std::uint32_t minute = 0;
  double second = 0;
  Scan scan(text);
  if (!scan.number(hour) || !scan.skip(":") || !scan.number(minute)) return std::nullopt;
  if (scan.skip(":")) {
    const auto rest = parse_number<double>(scan.rest());
    if (!rest) return std::nullopt;
    second = *rest;
  } else if (!scan.rest().empty()) {
    return std::nullopt;
  }
  if (hour > 24 || minute > 59 || !(second >= 0 && second < 61)) return std::nullopt;
  return 3600.0 * hour + 60.0 * minute + second;
}

// "2026-11-28 14:03:10" in local time, also with a T, in seconds since 1970.
std::optional<double> time_of_calendar(const std::string& text) {
  std::tm day{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%d", &day);
  if (end == nullptr || (*end != ' ' && *end != 'T')) return std::nullopt;
  const auto of_day = time_of_day(end + 1);
  if (!of_day) return std::nullopt;
  const auto whole = static_cast<int>(*of_day);
  day.tm_hour = whole / 3600;
  day.tm_min = whole / 60 % 60;
  day.tm_isdst = -1;
  const int whole_minutes_s = whole / 60 * 60;
  return static_cast<double>(std::mktime(&day)) + *of_day - whole_minutes_s;
}

// "-1h", "-30m", "-90" or "-2d": so long before now, in seconds since 1970.
std::optional<double> time_ago(std::string_view text) {
  if (text.size() < 2 || text.front() != '-' || !is_digit(text[1])) return std::nullopt;
  text.remove_prefix(1);
  const auto number = take_number<double>(text);
  constexpr std::pair<std::string_view, double> units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  const auto* const unit = std::ranges::find(units, text, &std::pair<std::string_view, double>::first);
  if (!number || unit == std::end(units)) return std::nullopt;
  return static_cast<double>(std::time(nullptr)) - *number * unit->second;
}

// `name` and `value` are what was typed.
TimeBound time_bound(const char* name, const std::string& value, const std::string& typed) {
  if (typed == "0") return {.seconds = 0};
  if (const auto ago = time_ago(typed)) return {.seconds = ago, .clock = ClockKind::since_1970};
  if (const auto seconds = parse_seconds(typed)) return {.seconds = seconds};
  if (const auto seconds = time_of_day(typed)) return {.seconds = seconds, .clock = ClockKind::of_day};
  if (const auto seconds = time_of_calendar(typed)) return {.seconds = seconds, .clock = ClockKind::since_1970};
  throw bad_value(name, value.empty() ? "''" : value, "neither a number of seconds nor a time like 14:03:10 or -1h");
}

std::string event_of(const ParsedOptions& parsed) {
  const std::vector<std::string> names = parsed.texts("event");
  if (names.size() > 1) throw bad_value("event", names[1], "a report is of one event");
  return names.empty() ? "" : names.front();
}

TimeBound time_bound(const ParsedOptions& parsed, const char* name) {
  return parsed.has(name) ? time_bound(name, parsed.text(name), parsed.text(name)) : TimeBound();
}

void set_times(ReadRequest& request, const TimeBound& from, const TimeBound& to) {
  request.from_s = from.seconds;
  request.to_s = to.seconds;
  request.from_clock = from.clock;
  request.to_clock = to.clock;
}

// Whether the end is not after the beginning, as far as the words alone tell it.
bool is_reversed(const ReadRequest& request) {
  // Midnight may be between two times of day.
  if (request.from_clock == ClockKind::of_day && request.to_clock == ClockKind::of_day) {
    return request.from_s == request.to_s;
  }
  const bool can_compare = request.from_clock == request.to_clock || !request.from_s;
  return request.to_s && can_compare && *request.to_s <= request.from_s.value_or(0);
}

constexpr double shortest_block_s = 1;
constexpr double most_blocks = 256;  // more would take long to compare, and tell little more

using Note = std::function<void(const std::string&)>;

Profile read_recording_file(const std::string& path, const ReadRequest& request, const OnRecordedSample& on_sample,
                            const Note& note) {
  if (request.is_of_store()) throw Error(path + ": a recording does not tell services, hosts and versions");
  Profile profile = load_module<RecordingModule>().read(path, request, on_sample);
  std::string others;
  for (const RunInfo& run : profile.other_events) others += (others.empty() ? "-e " : ", -e ") + clean_text(run.event);
  if (!others.empty()) note(path + ": this is its " + clean_text(profile.run.event) + "; its other events: " + others);
  return profile;
}

Profile read_store_url(const std::string& url, const ReadRequest& request, const OnRecordedSample& on_sample,
                       const Note& note) {
  const auto asker = asker_of(url, request.auth_path, note);
  return read_store(asking(*asker), asker->store().name, request, on_sample, std::time(nullptr), note);
}

// What tells the time of samples, and how it is read: without `on_sample`, which is called in the order of time, the
// profile has the rows.
struct TimedSource {
  bool (*is)(const std::string& path);
  Profile (*read)(const std::string& path, const ReadRequest& request, const OnRecordedSample& on_sample,
                  const Note& note);
};
constexpr TimedSource timed_sources[] = {
    {[](const std::string& path) { return is_store_url(path); }, read_store_url},
    {is_recording_file, read_recording_file},
};

// nullptr: it is another kind of file.
const TimedSource* timed_source(const std::string& path) {
  const auto* const source =
      std::ranges::find_if(timed_sources, [&](const TimedSource& each) { return each.is(path); });
  return source == std::end(timed_sources) ? nullptr : source;
}

Profile read_timed(const TimedSource& source, const std::string& path, const ReadRequest& request, const Note& note) {
  if (!request.with_times) return source.read(path, request, {}, note);
  Timeline timeline;
  std::uint64_t run_began_unix_ns = 0;
  std::size_t count = 0;
  const auto add = [&](Profile& sum, const Sample& sample) {
    run_began_unix_ns = sample.unix_ns - sample.time_ns;
    const std::uint32_t row = sum.add(sample.row);
    if (++count > Timeline::most_samples) return;
    timeline.samples.push_back({.time_us = sample.time_ns / 1000, .value = sample.row.value, .row = row});
  };
  Profile profile = source.read(path, request, add, note);
  if (count > Timeline::most_samples) {
    note(path + ": the page shows no times, because there are " + std::to_string(count) + " samples, more than " +
         std::to_string(Timeline::most_samples) + "; --from and --to choose a part");
  } else if (count != 0) {
    timeline.begin_us = (profile.began_unix_ns - run_began_unix_ns) / 1000;
    timeline.end_us = timeline.begin_us + profile.duration_ns / 1000;
    profile.timeline = std::move(timeline);
  }
  return profile;
}

// "shop on web-* in clickhouse+http://store:8123/profiles"
std::string named_part(const std::string& path, const ReadRequest& request) {
  std::string chosen = request.service;
  const auto add = [&](const char* word, const std::string& value) {
    if (!value.empty()) chosen.append(chosen.empty() ? "" : " ").append(word).append(" ").append(value);
  };
  add("version", request.version);
  add("on", request.host);
  return chosen.empty() ? path : chosen + " in " + path;
}

std::string with_name(const Subcommand& command, const std::string& text) {
  return std::string(command.name) + ": " + text;
}

}  // namespace

std::unique_ptr<StoreAsker> asker_of(const std::string& url, const std::string& auth_path, const Note& note) {
  const PushTarget store = store_target_of(url, "the URL of a store");
  const std::string credentials = push_credentials(auth_path);
  if (const std::string warning = warning_about(store, credentials); !warning.empty()) note(warning);
  return std::make_unique<StoreAsker>(store, credentials);
}

AskStore asking(StoreAsker& asker) {
  return [&asker](const std::string& sql, std::uint64_t most_bytes, const auto& take) {
    asker.ask(sql, most_bytes, take);
  };
}

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
  ReadRequest request{.from_s = {},
                      .to_s = {},
                      .tgids = parsed.ids("pid", "process"),
                      .tids = parsed.ids("tid", "thread"),
                      .names = parsed.texts("comm", "not a thread's name"),
                      .cpus = cpus_of(parsed),
                      .cgroup = parsed.text("cgroup"),
                      .event = event_of(parsed),
                      .service = parsed.text("service"),
                      .host = parsed.text("host"),
                      .version = parsed.text("service-version"),
                      .auth_path = parsed.text("push-auth-file")};
  for (const char* const name : {"service", "host", "service-version"}) {
    if (parsed.has(name) && parsed.text(name).empty()) throw bad_value(name, "''", "not a name");
  }
  set_times(request, time_bound(parsed, "from"), time_bound(parsed, "to"));
  if (is_reversed(request)) throw bad_value("to", parsed.text("to"), "not after the time of --from");
  return request;
}

void choose_times(ReadRequest& request, const char* name, const std::string& typed) {
  // Times of the clock have colons themselves.
  std::string_view between = "..";
  if (typed.find(between) == typed.npos && std::ranges::count(typed, ':') == 1) between = ":";
  const std::size_t at = typed.find(between);
  const std::string to = at == typed.npos ? "" : typed.substr(at + between.size());
  const std::string from = typed.substr(0, at);
  if (at == typed.npos || (from.empty() && to.empty())) {
    throw bad_value(name, typed.empty() ? "''" : typed, "not a part of a run like 0:10 or 14:03:10..14:05");
  }
  const auto bound = [&](const std::string& text) {
    return text.empty() ? TimeBound() : time_bound(name, typed, text);
  };
  set_times(request, bound(from), bound(to));
  if (is_reversed(request)) throw bad_value(name, typed, "it ends before it begins");
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

// A recording is read by its path, because SQLite wants files that may lie beside it.
bool is_recording_file(const std::string& path) {
  struct stat found {};
  if (path == "-" || ::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  return is_database(open_input(path).ahead(16));
}

bool tells_times(const std::string& path) { return timed_source(path) != nullptr; }

ReadProfile read_in_blocks(const std::string& path, const ReadRequest& request, const Note& note) {
  ReadProfile read{.name = named_part(path, request), .profile = {}, .block_s = shortest_block_s};
  std::uint32_t last_block = 0;
  // The last block has the rest of the time too, so none is shorter than the others.
  const auto add = [&](Profile& profile, const Sample& sample) {
    if (profile.rows().empty()) {
      const double whole_s = to_seconds(profile.duration_ns);
      const double tick_s = std::max(to_seconds(profile.tick_ns), shortest_block_s);
      read.block_s = std::max(std::ceil(whole_s / most_blocks / tick_s), 1.0) * tick_s;
      last_block = static_cast<std::uint32_t>(std::max(std::floor(whole_s / read.block_s) - 1, 0.0));
    }
    const double time_s = to_seconds(sample.unix_ns - std::min(sample.unix_ns, profile.began_unix_ns));
    Row row = sample.row;
    row.block = static_cast<std::uint32_t>(std::min<double>(time_s / read.block_s, last_block));
    profile.add(row);
  };
  read.profile = timed_source(path)->read(path, request, add, note);
  return read;
}

ReadProfile read_named(const std::string& path, const ReadRequest& request,
                       const std::function<void(const std::string&)>& note) {
  AlienLines aliens;
  if (const TimedSource* const source = timed_source(path)) {
    return {.name = named_part(path, request), .profile = read_timed(*source, path, request, note)};
  }
  if (request.is_of_store()) throw Error(path + ": only a store tells services, hosts and versions");
  ReadProfile read{.name = path == "-" ? "stdin" : path, .profile = {}};
  read.profile = read_profile_file(path, &aliens, request, &read.before);
  if (aliens.count != 0)
    note(aliens.first + "; " + number_of(aliens.count, "such line is", "such lines are") + " left out");
  return read;
}

void note_comparison(const ReadProfile& file, const Note& note) {
  if (!file.before) return;
  note(file.name + " is a comparison, two counts a line; these are the second ones, and profile diff " + file.name +
       " compares them with the first");
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
