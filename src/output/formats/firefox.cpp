// The processed format of https://profiler.firefox.com, version 66 (src/types/profile.ts and
// src/profile-logic/processed-profile-versioning.ts of firefox-devtools/profiler). It is JSON in columns, with tables
// that all threads share, so the samples are kept until the end: some 24 bytes each.
//
// A span is a marker in its thread, and two samples: its begin has the weight, and its end has none. So its stack is
// drawn as long as it lasts, and the weights of a stack add up to its time. A thread's samples have one unit, so with
// several events they are those of one, and what the others have are markers only.
#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "output/header.h"
#include "output/json_writer.h"
#include "output/lane_stacks.h"
#include "output/timed.h"

namespace profile {
namespace {

constexpr std::uint32_t firefox_version = 66;
// Of the format that Firefox itself writes. Readers want the number, and look at nothing else there.
constexpr std::uint32_t gecko_version = 31;

struct FirefoxCategory {
  std::string_view name;
  std::string_view colour;  // of the names that the format knows; the first grey one is for frames without a category
};
// By LaneCategory.
constexpr FirefoxCategory firefox_categories[] = {{"Other", "grey"},  {"User", "yellow"}, {"Kernel", "orange"},
                                                  {"Script", "blue"}, {"JIT", "purple"},  {"Waiting", "transparent"}};

// The types of resources and the phases of markers, as numbers of the format.
constexpr int resource_library = 1;
constexpr int phase_instant = 0;
constexpr int phase_interval = 1;

double ms_of(std::uint64_t ns) { return static_cast<double>(ns) / 1e6; }

// A table whose rows are told apart by what they are.
template <class Row>
class FirefoxTable {
 public:
  std::uint32_t number(const Row& row) {
    const auto [place, is_new] = numbers_.try_emplace(row, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) rows_.push_back(row);
    return place->second;
  }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  std::map<Row, std::uint32_t> numbers_;
  std::vector<Row> rows_;
};

class Firefox final : public TimedOutput {
 public:
  void begin(std::ostream& out, const TimedRun& run) override;
  void append(std::ostream& out, const Profile& profile, const Sample& sample) override;
  void forget() override { stacks_.forget(); }
  void end(std::ostream& out, std::uint64_t ended_ns) override;

 private:
  struct At {
    std::uint64_t time_ns = 0;  // since the run began
    std::uint64_t value = 0;
    std::uint32_t stack = 0;
  };
  struct Marker {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint64_t value = 0;
    std::uint32_t event = 0;
    std::uint32_t stack = 0;
    StringId name = StringId::empty;
    LaneCategory category = LaneCategory::waiting;
    bool is_span = false;  // otherwise it is a moment
  };
  struct Thread {
    StringId name = StringId::empty;
    StringId process_name = StringId::empty;
    std::uint64_t process_began_ns = 0;  // since the run began; 0: before it, or unknown
    std::vector<At> samples;
    std::vector<Marker> markers;
  };
  // A process comes before others with a larger number, and its main thread before its other threads.
  struct ThreadKey {
    std::uint32_t tgid = 0;
    std::uint32_t image = 0;
    bool is_other = false;
    std::uint32_t tid = 0;
    friend auto operator<=>(const ThreadKey&, const ThreadKey&) = default;
  };

  // Rows of the tables.
  using Library = std::tuple<StringId, StringId, StringId>;  // module, path, build id
  struct Function {
    StringId name;
    StringId module;
    StringId path;
    StringId build_id;
    StringId source;
    std::uint32_t line;  // of a script's function
    bool is_script;
    friend auto operator<=>(const Function&, const Function&) = default;
  };

  Thread& thread_of(const Profile& profile, const Sample& sample);
  void make_tables();
  [[nodiscard]] const RunInfo& sampled() const { return run_.events[sampled_event_]; }
  [[nodiscard]] double weight_of(std::uint64_t value) const;
  void write_meta(JsonWriter& json, std::uint64_t length_ns);
  void write_libraries(JsonWriter& json);
  void write_shared(JsonWriter& json);
  void write_stack_table(JsonWriter& json);
  void write_frame_table(JsonWriter& json);
  void write_function_table(JsonWriter& json);
  void write_other_tables(JsonWriter& json);
  void write_thread(JsonWriter& json, const ThreadKey& key, Thread& thread);
  void write_samples(JsonWriter& json, const Thread& thread);
  void write_markers(JsonWriter& json, const Thread& thread);

  // A member with the array of `count` values; `write` writes the one with the index that it gets.
  template <class Write>
  static void column(JsonWriter& json, std::string_view name, std::size_t count, const Write& write) {
    json.begin_array(name);
    for (std::size_t i = 0; i < count; ++i) write(i);
    json.end_array();
  }
  static void nulls(JsonWriter& json, std::string_view name, std::size_t count) {
    column(json, name, count, [&](std::size_t) { json.null(); });
  }
  template <class Value>
  static void same(JsonWriter& json, std::string_view name, std::size_t count, const Value& value) {
    column(json, name, count, [&](std::size_t) { json.value(value); });
  }
  static std::uint32_t number(StringId id) { return static_cast<std::uint32_t>(id); }

  TimedRun run_;
  std::uint32_t sampled_event_ = 0;  // that the samples of the threads are of
  LaneStacks stacks_;
  std::map<ThreadKey, Thread> threads_;
  FirefoxTable<Library> libraries_;
  FirefoxTable<Function> functions_;
  FirefoxTable<StringId> sources_;
  std::vector<std::uint32_t> function_of_frame_;
};

void Firefox::begin(std::ostream& /*out*/, const TimedRun& run) {
  run_ = run;
  const auto has_samples = [](const RunInfo& event) { return !has_spans(event) || clock_period_ns(event) != 0; };
  const auto first = std::ranges::find_if(run_.events, has_samples);
  if (first != run_.events.end()) sampled_event_ = static_cast<std::uint32_t>(first - run_.events.begin());
}

Firefox::Thread& Firefox::thread_of(const Profile& profile, const Sample& sample) {
  const Process& process = profile.process(sample.row.process);
  const auto [place, is_new] = threads_.try_emplace({.tgid = process.tgid,
                                                     .image = process.image,
                                                     .is_other = sample.row.tid != process.tgid,
                                                     .tid = sample.row.tid});
  Thread& thread = place->second;
  // The names at the end count: a program may name itself and its threads.
  thread.name = stacks_.strings().intern(clean_name(profile.strings.view(sample.row.thread_name)));
  thread.process_name = stacks_.strings().intern(clean_name(profile.strings.view(process.name)));
  if (is_new) {
    std::uint64_t began = process.began_unix_ns;
    if (began == 0) began = run_.program_began(process.tgid, process.image);
    thread.process_began_ns = began - std::min(began, run_.began_unix_ns);
  }
  return thread;
}

void Firefox::append(std::ostream& /*out*/, const Profile& profile, const Sample& sample) {
  Thread& thread = thread_of(profile, sample);
  const RunInfo& run = run_.events[sample.event];
  const std::uint32_t stack = stacks_.stack_of(run, profile, sample.row);
  const std::uint64_t time_ns = sample.time_ns - std::min(sample.time_ns, run_.began_ns);
  const bool lasts = is_span(run, sample.row);
  const bool is_sampled = sample.event == sampled_event_;
  const std::uint64_t length_ns = lasts ? std::min(sample.row.value * ns_of_span_unit(run), time_ns) : 0;
  const std::uint64_t begin_ns = time_ns - length_ns;
  if (lasts || !is_sampled) {
    const std::string_view tag = profile.strings.view(sample.row.tag);
    thread.markers.push_back({.begin_ns = begin_ns,
                              .end_ns = time_ns,
                              .value = sample.row.value,
                              .event = sample.event,
                              .stack = stack,
                              .name = stacks_.strings().intern(clean_text(tag.empty() ? run.event : tag)),
                              .category = category_of_tag(run),
                              .is_span = lasts});
  }
  if (!is_sampled) return;
  thread.samples.push_back({.time_ns = begin_ns, .value = sample.row.value, .stack = stack});
  if (lasts) thread.samples.push_back({.time_ns = time_ns, .value = 0, .stack = stack});
}

void Firefox::end(std::ostream& out, std::uint64_t ended_ns) {
  make_tables();
  JsonWriter json(out);
  json.begin_object();
  write_meta(json, ended_ns - std::min(ended_ns, run_.began_ns));
  write_libraries(json);
  json.begin_array("threads");
  for (auto& [key, thread] : threads_) write_thread(json, key, thread);
  json.end_array();
  json.begin_array("pages");
  json.end_array();
  json.begin_array("counters");
  json.end_array();
  write_shared(json);  // last, because the threads add texts
  json.end_object();
  json.end_document();
}

void Firefox::make_tables() {
  for (const LaneFunction& of : stacks_.functions()) {
    const bool is_script = of.category == LaneCategory::script;
    if (of.source != StringId::empty) sources_.number(of.source);
    if (of.module != StringId::empty) libraries_.number({of.module, of.path, of.build_id});
    function_of_frame_.push_back(functions_.number({.name = of.name,
                                                    .module = of.module,
                                                    .path = of.path,
                                                    .build_id = of.build_id,
                                                    .source = of.source,
                                                    .line = is_script ? of.line : 0,
                                                    .is_script = is_script}));
  }
}

void Firefox::write_meta(JsonWriter& json, std::uint64_t length_ns) {
  const std::uint64_t period_ns = clock_period_ns(sampled());
  json.begin_object("meta");
  json.member("version", gecko_version);
  json.member("preprocessedProfileVersion", firefox_version);
  json.member("product", "profile");
  json.member("importedFrom", "profile");
  json.member("interval", is_count(sampled().unit.kind()) && period_ns != 0 ? ms_of(period_ns) : 1.0);
  json.member("startTime", ms_of(run_.began_unix_ns));
  json.member("endTime", ms_of(run_.began_unix_ns + length_ns));
  json.member("profilingStartTime", 0);
  json.member("profilingEndTime", ms_of(length_ns));
  json.member("processType", 0);
  json.member("stackwalk", 1);
  json.member("debug", false);
  json.member("symbolicated", true);
  json.member("platform", "Linux");
  if (const std::string& line = run_.events.front().command_line; !line.empty()) json.member("arguments", line);
  json.member("usesOnlyOneStackType", false);
  json.member("sourceCodeIsNotOnSearchfox", true);
  json.begin_array("categories");
  for (const FirefoxCategory& category : firefox_categories) {
    json.begin_object();
    json.member("name", category.name);
    json.member("color", category.colour);
    json.begin_array("subcategories");
    json.value("Other");
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.begin_array("markerSchema");
  json.begin_object();
  json.member("name", "Span");
  json.begin_array("display");
  for (const char* const place : {"marker-chart", "marker-table", "timeline-overview"}) json.value(place);
  json.end_array();
  for (const char* const label : {"chartLabel", "tooltipLabel", "tableLabel"}) json.member(label, "{marker.name}");
  json.begin_array("fields");
  json.begin_object();
  json.member("key", "event");
  json.member("label", "Event");
  json.member("format", "string");
  json.end_object();
  json.begin_object();
  json.member("key", "value");
  json.member("label", "Value");
  json.member("format", "integer");
  json.end_object();
  json.end_array();
  json.end_object();
  json.end_array();
  json.begin_array("extra");
  json.begin_object();
  json.member("label", "Sampling");
  json.begin_array("entries");
  std::vector<std::pair<const char*, std::string>> entries{{"Run", title_of(run_, length_ns)}};
  for (const RunInfo& run : run_.events) {
    entries.insert(entries.end(), {{"Event", run.event}, {"Unit", run.unit.word()}});
  }
  for (const auto& [label, text] : entries) {
    json.begin_object();
    json.member("label", label);
    json.member("format", "string");
    json.member("value", text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
}

void Firefox::write_libraries(JsonWriter& json) {
  json.begin_array("libs");
  for (const auto& [module, path, build_id] : libraries_.rows()) {
    const std::string_view name = stacks_.text(module);
    const std::string_view hex = stacks_.text(build_id);
    // Symbol servers know a file by the first 16 bytes of its build id as a GUID, which has its first three numbers in
    // the other order of bytes, and a 0.
    std::string breakpad;
    if (hex.size() >= 32) {
      for (const std::size_t byte : {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}) {
        for (const char digit : hex.substr(byte * 2, 2)) {
          breakpad += digit >= 'a' && digit <= 'f' ? static_cast<char>(digit - 'a' + 'A') : digit;
        }
      }
      breakpad += '0';
    }
    json.begin_object();
    json.member("arch", "");
    json.member("name", name);
    json.member("path", stacks_.text(path));
    json.member("debugName", name);
    json.member("debugPath", stacks_.text(path));
    json.member("breakpadId", breakpad);
    json.key("codeId");
    if (hex.empty()) {
      json.null();
    } else {
      json.value(hex);
    }
    json.end_object();
  }
  json.end_array();
}

void Firefox::write_shared(JsonWriter& json) {
  json.begin_object("shared");
  write_stack_table(json);
  write_frame_table(json);
  write_function_table(json);
  write_other_tables(json);
  json.begin_array("stringArray");
  for (std::size_t i = 0; i < stacks_.strings().size(); ++i) json.value(stacks_.text(static_cast<StringId>(i)));
  json.end_array();
  json.end_object();
}

// The index in the file is one less than the number of a node, because 0 is no stack here.
void Firefox::write_stack_table(JsonWriter& json) {
  const std::span<const LaneStacks::Node> nodes = stacks_.nodes().subspan(1);
  json.begin_object("stackTable");
  column(json, "frame", nodes.size(), [&](std::size_t i) { json.value(nodes[i].function); });
  // How many rows before this one its caller is; 0: it has none.
  column(json, "prefixOffset", nodes.size(),
         [&](std::size_t i) { json.value(nodes[i].caller == 0 ? std::size_t{0} : i + 1 - nodes[i].caller); });
  json.member("length", nodes.size());
  json.end_object();
}

void Firefox::write_frame_table(JsonWriter& json) {
  const std::span<const LaneFunction> frames = stacks_.functions();
  const std::size_t count = frames.size();
  json.begin_object("frameTable");
  // Addresses are for readers that look up names, and the names are here.
  same(json, "address", count, -1);
  column(json, "inlineDepth", count, [&](std::size_t i) { json.value(frames[i].inline_depth); });
  column(json, "category", count, [&](std::size_t i) { json.value(static_cast<std::uint32_t>(frames[i].category)); });
  same(json, "subcategory", count, 0);
  column(json, "func", count, [&](std::size_t i) { json.value(function_of_frame_[i]); });
  nulls(json, "nativeSymbol", count);
  nulls(json, "innerWindowID", count);
  column(json, "line", count, [&](std::size_t i) {
    // Of a script it is not known which line of the function runs.
    if (frames[i].line == 0 || frames[i].category == LaneCategory::script) return json.null();
    json.value(frames[i].line);
  });
  nulls(json, "column", count);
  nulls(json, "originalLocation", count);
  json.member("length", count);
  json.end_object();
}

void Firefox::write_function_table(JsonWriter& json) {
  const std::vector<Function>& functions = functions_.rows();
  const std::size_t count = functions.size();
  json.begin_object("funcTable");
  column(json, "name", count, [&](std::size_t i) { json.value(number(functions[i].name)); });
  // The reader's choice between native and JavaScript frames is one between native and script frames.
  column(json, "isJS", count, [&](std::size_t i) { json.value(functions[i].is_script); });
  same(json, "relevantForJS", count, false);
  column(json, "resource", count, [&](std::size_t i) {
    const Function& of = functions[i];
    if (of.module == StringId::empty) return json.value(-1);
    json.value(libraries_.number({of.module, of.path, of.build_id}));
  });
  column(json, "source", count, [&](std::size_t i) {
    if (functions[i].source == StringId::empty) return json.null();
    json.value(sources_.number(functions[i].source));
  });
  column(json, "lineNumber", count, [&](std::size_t i) {
    if (functions[i].line == 0) return json.null();
    json.value(functions[i].line);
  });
  nulls(json, "columnNumber", count);
  nulls(json, "originalLocation", count);
  json.member("length", count);
  json.end_object();
}

void Firefox::write_other_tables(JsonWriter& json) {
  const std::size_t libraries = libraries_.rows().size();
  json.begin_object("resourceTable");
  column(json, "lib", libraries, [&](std::size_t i) { json.value(i); });
  column(json, "name", libraries, [&](std::size_t i) { json.value(number(std::get<0>(libraries_.rows()[i]))); });
  nulls(json, "host", libraries);
  same(json, "type", libraries, resource_library);
  json.member("length", libraries);
  json.end_object();

  json.begin_object("nativeSymbols");
  for (const char* const name : {"libIndex", "address", "name", "functionSize"}) nulls(json, name, 0);
  json.member("length", 0);
  json.end_object();

  const std::vector<StringId>& sources = sources_.rows();
  json.begin_object("sources");
  nulls(json, "id", sources.size());
  column(json, "filename", sources.size(), [&](std::size_t i) { json.value(number(sources[i])); });
  same(json, "startLine", sources.size(), 1);
  same(json, "startColumn", sources.size(), 1);
  nulls(json, "sourceMapURL", sources.size());
  nulls(json, "content", sources.size());
  json.member("length", sources.size());
  json.end_object();

  json.begin_object("sourceLocationTable");
  for (const char* const name : {"source", "line", "column"}) nulls(json, name, 0);
  json.member("length", 0);
  json.end_object();
}

void Firefox::write_thread(JsonWriter& json, const ThreadKey& key, Thread& thread) {
  // They come in the order of their ends.
  std::ranges::stable_sort(thread.samples, {}, &At::time_ns);
  std::ranges::stable_sort(thread.markers, {}, &Marker::begin_ns);
  std::string pid = std::to_string(key.tgid);
  if (key.image != 0) pid += "." + std::to_string(key.image);
  json.begin_object();
  json.member("processType", "default");
  json.member("processStartupTime", ms_of(thread.process_began_ns));
  json.key("processShutdownTime");
  json.null();
  json.member("registerTime", ms_of(thread.process_began_ns));
  json.key("unregisterTime");
  json.null();
  json.begin_array("pausedRanges");
  json.end_array();
  json.member("showMarkersInTimeline", true);
  json.member("name", stacks_.text(thread.name));
  json.member("processName", stacks_.text(thread.process_name));
  json.member("isMainThread", !key.is_other);
  json.member("pid", pid);
  json.member("tid", key.tid);
  write_samples(json, thread);
  write_markers(json, thread);
  json.end_object();
}

double Firefox::weight_of(std::uint64_t value) const {
  if (sampled().unit == Unit::microseconds) return static_cast<double>(value) / 1e3;
  return sampled().unit == Unit::nanoseconds ? ms_of(value) : static_cast<double>(value);
}

void Firefox::write_samples(JsonWriter& json, const Thread& thread) {
  const std::vector<At>& samples = thread.samples;
  const RunUnit& unit = sampled().unit;
  const bool is_time = has_spans(sampled());
  json.begin_object("samples");
  column(json, "stack", samples.size(), [&](std::size_t i) {
    if (samples[i].stack == 0) return json.null();
    json.value(samples[i].stack - 1);
  });
  column(json, "time", samples.size(), [&](std::size_t i) { json.value(ms_of(samples[i].time_ns)); });
  column(json, "weight", samples.size(), [&](std::size_t i) {
    if (is_time) return json.value(weight_of(samples[i].value));
    json.value(samples[i].value);
  });
  json.member("weightType", is_time ? "tracing-ms" : unit == Unit::bytes ? "bytes" : "samples");
  json.member("length", samples.size());
  json.end_object();
}

void Firefox::write_markers(JsonWriter& json, const Thread& thread) {
  const std::vector<Marker>& markers = thread.markers;
  json.begin_object("markers");
  column(json, "data", markers.size(), [&](std::size_t i) {
    json.begin_object();
    json.member("type", "Span");
    json.member("event", run_.events[markers[i].event].event);
    if (!markers[i].is_span) json.member("value", markers[i].value);
    if (markers[i].stack != 0) {
      json.begin_object("cause");
      json.member("time", ms_of(markers[i].begin_ns));
      json.member("stack", markers[i].stack - 1);
      json.end_object();
    }
    json.end_object();
  });
  column(json, "name", markers.size(), [&](std::size_t i) { json.value(number(markers[i].name)); });
  column(json, "startTime", markers.size(), [&](std::size_t i) { json.value(ms_of(markers[i].begin_ns)); });
  column(json, "endTime", markers.size(), [&](std::size_t i) {
    if (!markers[i].is_span) return json.null();
    json.value(ms_of(markers[i].end_ns));
  });
  column(json, "phase", markers.size(),
         [&](std::size_t i) { json.value(markers[i].is_span ? phase_interval : phase_instant); });
  column(json, "category", markers.size(),
         [&](std::size_t i) { json.value(static_cast<std::uint32_t>(markers[i].category)); });
  json.member("length", markers.size());
  json.end_object();
}

}  // namespace

std::unique_ptr<TimedOutput> make_firefox(const OutputOptions& /*options*/) { return std::make_unique<Firefox>(); }

}  // namespace profile
