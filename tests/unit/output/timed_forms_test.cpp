// Writes samples of known times in each timed form, reads the bytes back, and compares lanes, times, spans and stacks
// with what was given.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <map>
#include <protozero/pbf_message.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "fixed_profile.h"
#include "input/profile_reader.h"
#include "model/perfetto_format.h"
#include "model/run_words.h"
#include "output/timed.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t began_ns = 5'000'000'000;
constexpr std::uint64_t began_unix_ns = 1'700'000'000'000'000'000;
constexpr std::uint64_t ns_per_ms = 1'000'000;

struct Given {
  std::uint64_t ms = 0;  // since the run began
  ProcessId process{};
  std::uint32_t tid = 0;
  std::string_view thread;
  StackId user = StackId::none;
  StackId kernel = StackId::none;
  std::string_view tag = {};
  std::uint64_t value = 1;
  std::uint32_t event = 0;
};

// A run whose samples the test chooses.
class Run {
 public:
  explicit Run(std::string_view format) : form_(find_output_format(format)->make_timed({})) {
    server = profile.process(100, 0, "server");
    tool = profile.process(200, 0, "tool");
    tool_again = profile.process(200, 1, "ls");
    profile.process(server).began_unix_ns = began_unix_ns + 3 * ns_per_ms;
  }

  void begin() {
    std::vector<RunInfo> events{profile.run};
    events.insert(events.end(), profile.other_events.begin(), profile.other_events.end());
    form_->begin(out_, {.events = events, .began_ns = began_ns, .began_unix_ns = began_unix_ns});
  }
  void add(const Given& given) {
    Sample sample;
    sample.row = {.process = given.process,
                  .tid = given.tid,
                  .thread_name = profile.strings.intern(given.thread),
                  .user = given.user,
                  .kernel = given.kernel,
                  .tag = profile.strings.intern(given.tag),
                  .value = given.value,
                  .samples = 1};
    sample.time_ns = began_ns + given.ms * ns_per_ms;
    sample.unix_ns = began_unix_ns + given.ms * ns_per_ms;
    sample.cpu = 3;
    sample.event = given.event;
    form_->append(out_, profile, sample);
  }
  void forget() { form_->forget(); }
  std::string end(std::uint64_t ms = 1000) {
    form_->end(out_, began_ns + ms * ns_per_ms);
    return out_.str();
  }

  StackId user(std::string_view leaf, std::string_view module = "app", StackEnd end = StackEnd::root) {
    return profile.stack(
        std::vector{name.user(server, ++address_, leaf, module, 0x10), name.user(server, 0x1000, "main", "app", 0x20)},
        end);
  }
  StackId kernel() { return profile.stack(std::vector{name.kernel(0xffffffff81200010, "vfs_read", "kernel", 0x10)}); }
  // A script's function that has called a C function into which another was inlined.
  StackId script() {
    Frame frame;
    frame.address = {script_address_bit | 1};
    frame.space = server;
    frame.kind = FrameKind::script;
    frame.unnamed = Unnamed::named;
    frame.symbol = profile.strings.intern("handle");
    frame.source = profile.source({.at = {profile.strings.intern("/srv/app.py"), 12}, .inlined = {}});
    const FrameId called = name.user(server, 0x2000, "outer", "app", 0x16);
    const std::vector<InlinedFunction> inlined{
        {profile.strings.intern("inner"), {profile.strings.intern("/src/a.h"), 7}}};
    profile.frames()[static_cast<std::size_t>(called)].source =
        profile.source({.at = {profile.strings.intern("/src/a.c"), 9}, .inlined = inlined});
    return profile.stack(std::vector{called, profile.frame(frame)}, StackEnd::root);
  }

  Profile profile;
  Namer name{profile};
  ProcessId server{};
  ProcessId tool{};
  ProcessId tool_again{};

 private:
  std::unique_ptr<TimedOutput> form_;
  std::ostringstream out_;
  std::uint64_t address_ = 0x1100;
};

// The samples of most tests: two processes, three threads, a program that is replaced.
void add_samples(Run& run) {
  run.begin();
  run.add({.ms = 10, .process = run.server, .tid = 100, .thread = "server", .user = run.user("work")});
  run.add({.ms = 20,
           .process = run.server,
           .tid = 101,
           .thread = "worker",
           .user = run.user("read"),
           .kernel = run.kernel()});
  run.add({.ms = 30, .process = run.tool, .tid = 200, .thread = "tool", .user = run.user("jitted", "jit")});
  run.add({.ms = 40, .process = run.server, .tid = 100, .thread = "server", .user = run.script()});
  run.add({.ms = 50,
           .process = run.server,
           .tid = 101,
           .thread = "worker",
           .user = run.user("cut", "app", StackEnd::no_cfi)});
  run.add({.ms = 60, .process = run.tool_again, .tid = 200, .thread = "ls", .user = run.user("list")});
  run.add({.ms = 70, .process = run.server, .tid = 101, .thread = "worker"});
}

// --- Firefox ---------------------------------------------------------------------------------------------------------

class FirefoxFile {
 public:
  explicit FirefoxFile(const std::string& text) {
    document_.Parse<rapidjson::kParseValidateEncodingFlag>(text.c_str());
    REQUIRE_FALSE(document_.HasParseError());
    for (const char* const table :
         {"stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources"}) {
      const auto& columns = shared()[table];
      CAPTURE(table);
      for (const auto& column : columns.GetObject()) {
        if (column.value.IsArray()) CHECK(column.value.Size() == columns["length"].GetUint());
      }
    }
  }

  [[nodiscard]] const rapidjson::Document& document() const { return document_; }
  [[nodiscard]] const rapidjson::Value& shared() const { return document_["shared"]; }
  [[nodiscard]] std::string text(const rapidjson::Value& index) const {
    return shared()["stringArray"][index.GetUint()].GetString();
  }
  // "main;work", root first.
  [[nodiscard]] std::string stack(const rapidjson::Value& index) const {
    if (index.IsNull()) return "";
    const auto& stacks = shared()["stackTable"];
    std::string line;
    for (unsigned at = index.GetUint();;) {
      line = function(stacks["frame"][at].GetUint()) + (line.empty() ? "" : ";" + line);
      const unsigned offset = stacks["prefixOffset"][at].GetUint();
      REQUIRE(offset <= at);
      if (offset == 0) return line;
      at -= offset;
    }
  }
  [[nodiscard]] std::string function(unsigned frame) const {
    return text(shared()["funcTable"]["name"][shared()["frameTable"]["func"][frame].GetUint()]);
  }
  [[nodiscard]] unsigned frame_of(std::string_view name) const {
    for (unsigned frame = 0; frame < shared()["frameTable"]["length"].GetUint(); ++frame) {
      if (function(frame) == name) return frame;
    }
    FAIL("there is no frame ", name);
    return 0;
  }
  [[nodiscard]] std::string category(std::string_view name) const {
    const unsigned index = shared()["frameTable"]["category"][frame_of(name)].GetUint();
    return document_["meta"]["categories"][index]["name"].GetString();
  }
  // "worker 100/101: 20 main;read, ..."
  [[nodiscard]] std::vector<std::string> lanes() const {
    std::vector<std::string> lanes;
    for (const auto& thread : document_["threads"].GetArray()) {
      std::ostringstream lane;
      lane << thread["processName"].GetString() << "/" << thread["name"].GetString() << " " << thread["pid"].GetString()
           << "/" << thread["tid"].GetUint() << (thread["isMainThread"].GetBool() ? " main:" : ":");
      const auto& samples = thread["samples"];
      for (unsigned i = 0; i < samples["length"].GetUint(); ++i) {
        lane << " " << samples["time"][i].GetDouble() << "=" << stack(samples["stack"][i]) << "*"
             << samples["weight"][i].GetDouble();
      }
      lanes.push_back(lane.str());
    }
    return lanes;
  }

 private:
  rapidjson::Document document_;
};

// --- Perfetto --------------------------------------------------------------------------------------------------------

using namespace perfetto;

// What a reader of the trace knows after the packets so far.
class PerfettoFile {
 public:
  explicit PerfettoFile(const std::string& bytes) {
    protozero::pbf_message<TraceField> trace(bytes);
    while (trace.next()) {
      REQUIRE(trace.tag() == TraceField::packet);
      read_packet(trace.get_view());
    }
  }

  std::map<std::uint64_t, std::string> tracks;     // "thread 100/101 worker"
  std::vector<std::string> samples;                // "20 100/101 cpu 3 kernel main;read;vfs_read"
  std::vector<std::string> events;                 // "10 begin TRACK NAME main;wait"
  std::vector<std::uint64_t> clears;               // the numbers of the packets that clear the state
  std::map<std::uint32_t, std::string> timebases;  // by sequence
  std::uint32_t clock = 0;
  std::uint32_t primary_clock = 0;

 private:
  using View = protozero::data_view;
  static std::string text_of(View view) { return {view.data(), view.size()}; }
  static std::uint64_t ms_of(std::uint64_t time) { return (time - began_unix_ns) / ns_per_ms; }

  struct Frame {
    std::string name;
    std::uint64_t mapping = 0;
  };

  void read_packet(View view) {
    protozero::pbf_message<PacketField> packet(view);
    std::uint64_t time = 0;
    View sample;
    View event;
    while (packet.next()) {
      switch (packet.tag()) {
        case PacketField::timestamp:
          time = packet.get_uint64();
          break;
        case PacketField::sequence_flags:
          if (const std::uint32_t flags = packet.get_uint32(); (flags & state_cleared) != 0) clear();
          break;
        case PacketField::trace_packet_defaults:
          read_defaults(packet.get_view());
          break;
        case PacketField::clock_snapshot: {
          protozero::pbf_message<SnapshotField> snapshot(packet.get_view());
          while (snapshot.next()) {
            if (snapshot.tag() == SnapshotField::primary_trace_clock) {
              primary_clock = snapshot.get_uint32();
            } else {
              snapshot.skip();
            }
          }
          break;
        }
        case PacketField::interned_data:
          read_interned(packet.get_view());
          break;
        case PacketField::track_descriptor:
          read_track(packet.get_view());
          break;
        case PacketField::perf_sample:
          sample = packet.get_view();
          break;
        case PacketField::track_event:
          event = packet.get_view();
          break;
        default:
          REQUIRE(packet.tag() == PacketField::trusted_packet_sequence_id);
          sequence_ = packet.get_uint32();
      }
    }
    if (!sample.empty()) read_sample(time, sample);
    if (!event.empty()) read_event(time, event);
    ++packets_;
  }

  void clear() {
    clears.push_back(packets_);
    sequences_[sequence_] = {};
  }

  void read_defaults(View view) {
    protozero::pbf_message<DefaultsField> defaults(view);
    while (defaults.next()) {
      if (defaults.tag() == DefaultsField::timestamp_clock_id) {
        clock = defaults.get_uint32();
        continue;
      }
      protozero::pbf_message<SampleDefaultsField> samples_of(defaults.get_view());
      REQUIRE(samples_of.next(SampleDefaultsField::timebase));
      protozero::pbf_message<TimebaseField> base(samples_of.get_view());
      std::string& timebase = timebases[sequence_];
      timebase.clear();
      while (base.next()) {
        timebase +=
            base.tag() == TimebaseField::name ? text_of(base.get_view()) : std::to_string(base.get_uint64()) + " ";
      }
    }
  }

  void read_interned(View view) {
    protozero::pbf_message<InternedField> interned(view);
    while (interned.next()) {
      const InternedField field = interned.tag();
      const View of = interned.get_view();
      if (field == InternedField::frames) {
        read_frame(of);
      } else if (field == InternedField::callstacks) {
        read_stack(of);
      } else if (field == InternedField::mappings) {
        read_mapping(of);
      } else {
        protozero::pbf_message<InternedStringField> string(of);
        REQUIRE(string.next(InternedStringField::iid));
        const std::uint64_t iid = string.get_uint64();
        REQUIRE(iid != 0);
        REQUIRE(string.next(InternedStringField::text));
        auto& known = field == InternedField::function_names  ? numbers().names
                      : field == InternedField::mapping_paths ? numbers().paths
                                                              : numbers().others;
        known[iid] = text_of(string.get_view());
      }
    }
  }

  void read_frame(View view) {
    protozero::pbf_message<FrameField> frame(view);
    std::uint64_t iid = 0;
    Frame read;
    while (frame.next()) {
      const std::uint64_t number = frame.get_uint64();
      if (frame.tag() == FrameField::iid) iid = number;
      if (frame.tag() == FrameField::function_name_id) read.name = numbers().names.at(number);
      if (frame.tag() == FrameField::mapping_id) read.mapping = number;
    }
    CHECK(numbers().mappings.count(read.mapping) == 1);
    CHECK(numbers().frames.emplace(iid, read).second);
  }

  void read_mapping(View view) {
    protozero::pbf_message<MappingField> mapping(view);
    std::uint64_t iid = 0;
    std::string path;
    while (mapping.next()) {
      const std::uint64_t number = mapping.get_uint64();
      if (mapping.tag() == MappingField::iid) iid = number;
      if (mapping.tag() == MappingField::path_string_ids) path = numbers().paths.at(number);
    }
    CHECK(numbers().mappings.emplace(iid, path).second);
  }

  void read_stack(View view) {
    protozero::pbf_message<CallstackField> stack(view);
    std::uint64_t iid = 0;
    std::string line;
    while (stack.next()) {
      const std::uint64_t number = stack.get_uint64();
      if (stack.tag() == CallstackField::iid) {
        iid = number;
      } else {
        line += (line.empty() ? "" : ";") + numbers().frames.at(number).name;
      }
    }
    CHECK(numbers().stacks.emplace(iid, line).second);
  }

  void read_track(View view) {
    protozero::pbf_message<TrackField> track(view);
    std::uint64_t uuid = 0;
    std::ostringstream words;
    while (track.next()) {
      if (track.tag() == TrackField::uuid) {
        uuid = track.get_uint64();
      } else if (track.tag() == TrackField::parent_uuid) {
        words << "below " << tracks.at(track.get_uint64()) << " ";
      } else if (track.tag() == TrackField::name) {
        words << text_of(track.get_view());
      } else if (track.tag() == TrackField::process) {
        protozero::pbf_message<ProcessField> process(track.get_view());
        words << "process";
        while (process.next()) {
          if (process.tag() == ProcessField::process_name) {
            words << " " << text_of(process.get_view());
          } else if (process.tag() == ProcessField::start_timestamp_ns) {
            words << " at " << ms_of(process.get_uint64());
          } else {
            words << " " << process.get_uint32();
          }
        }
      } else if (track.tag() == TrackField::thread) {
        protozero::pbf_message<ThreadField> thread(track.get_view());
        words << "thread";
        while (thread.next()) {
          if (thread.tag() == ThreadField::thread_name) {
            words << " " << text_of(thread.get_view());
          } else {
            words << " " << thread.get_uint32();
          }
        }
      } else {
        words << " counter";
        track.skip();
      }
    }
    CHECK(tracks.emplace(uuid, words.str()).second);
  }

  void read_sample(std::uint64_t time, View view) {
    protozero::pbf_message<SampleField> sample(view);
    std::ostringstream words;
    words << ms_of(time);
    if (sequence_ != 1) words << " " << timebases.at(sequence_);
    while (sample.next()) {
      const std::uint64_t number = sample.get_uint64();
      switch (sample.tag()) {
        case SampleField::cpu:
          words << " cpu " << number;
          break;
        case SampleField::callstack_iid:
          words << " " << numbers().stacks.at(number);
          break;
        case SampleField::cpu_mode:
          words << (number == 1 ? " kernel" : " user");
          break;
        case SampleField::unwind_error:
          words << " error " << number;
          break;
        default:
          words << " " << number;
      }
    }
    samples.push_back(words.str());
  }

  void read_event(std::uint64_t time, View view) {
    protozero::pbf_message<EventField> event(view);
    std::ostringstream words;
    words << ms_of(time);
    while (event.next()) {
      switch (event.tag()) {
        case EventField::type:
          words << " type " << event.get_uint32();
          break;
        case EventField::track_uuid:
          words << " on " << event.get_uint64();
          break;
        case EventField::callstack_iid:
          words << " " << numbers().stacks.at(event.get_uint64());
          break;
        case EventField::counter_value:
          words << " count " << event.get_uint64();
          break;
        case EventField::name:
          words << " " << text_of(event.get_view());
          break;
        default:
          event.skip();
      }
    }
    events.push_back(words.str());
  }

  // What has a number, of a sequence of packets.
  struct Numbers {
    std::map<std::uint64_t, std::string> names;
    std::map<std::uint64_t, std::string> paths;
    std::map<std::uint64_t, std::string> others;
    std::map<std::uint64_t, std::string> mappings;
    std::map<std::uint64_t, Frame> frames;
    std::map<std::uint64_t, std::string> stacks;
  };
  Numbers& numbers() { return sequences_.at(sequence_); }

  std::uint64_t packets_ = 0;
  std::uint32_t sequence_ = 0;  // of the packet
  std::map<std::uint32_t, Numbers> sequences_;
};

}  // namespace

TEST_CASE("a firefox file has a lane for each thread of each program, with its samples in the order of time") {
  Run run("firefox");
  add_samples(run);
  const FirefoxFile file(run.end());
  const std::vector<std::string> expected{
      "server/server 100/100 main: 10=main;work*1 40=handle;outer;inner*1",
      "server/worker 100/101: 20=main;read;vfs_read*1 50=[incomplete: no CFI];main;cut*1 70=*1",
      "tool/tool 200/200 main: 30=main;jitted*1",
      "ls/ls 200.1/200 main: 60=main;list*1",
  };
  CHECK(file.lanes() == expected);
  const auto& meta = file.document()["meta"];
  CHECK(meta["preprocessedProfileVersion"].GetUint() == 66);
  CHECK(meta["startTime"].GetDouble() == doctest::Approx(1.7e12));
  CHECK(meta["profilingEndTime"].GetDouble() == 1000);
  CHECK(meta["interval"].GetDouble() == doctest::Approx(1000.0 / 49).epsilon(1e-6));
  CHECK(file.document()["threads"][0]["processStartupTime"].GetDouble() == 3);
  CHECK(file.document()["threads"][2]["processStartupTime"].GetDouble() == 0);
}

TEST_CASE("frames of a firefox file have categories, files and lines") {
  Run run("firefox");
  add_samples(run);
  const FirefoxFile file(run.end());
  CHECK(file.category("work") == "User");
  CHECK(file.category("vfs_read") == "Kernel");
  CHECK(file.category("handle") == "Script");
  CHECK(file.category("jitted") == "JIT");
  CHECK(file.category("[incomplete: no CFI]") == "Other");
  const auto& frames = file.shared()["frameTable"];
  const auto& functions = file.shared()["funcTable"];
  const unsigned inner = file.frame_of("inner");
  CHECK(frames["inlineDepth"][inner].GetUint() == 1);
  CHECK(frames["line"][inner].GetUint() == 7);
  CHECK(frames["inlineDepth"][file.frame_of("outer")].GetUint() == 0);
  const unsigned handle = frames["func"][file.frame_of("handle")].GetUint();
  CHECK(functions["isJS"][handle].GetBool());
  CHECK(functions["lineNumber"][handle].GetUint() == 12);
  CHECK(frames["line"][file.frame_of("handle")].IsNull());
  CHECK(file.text(file.shared()["sources"]["filename"][functions["source"][handle].GetUint()]) == "/srv/app.py");
  const unsigned main = frames["func"][file.frame_of("main")].GetUint();
  const unsigned resource = functions["resource"][main].GetUint();
  CHECK(file.text(file.shared()["resourceTable"]["name"][resource]) == "app");
  CHECK(std::string(
            file.document()["libs"][file.shared()["resourceTable"]["lib"][resource].GetUint()]["name"].GetString()) ==
        "app");
}

TEST_CASE("a wait is a marker of a firefox file, and a sample with its length where it began") {
  Run run("firefox");
  set_measure(run.profile.run, measures::off_cpu);
  run.profile.run.frequency_hz = 0;
  run.begin();
  run.add({.ms = 50,
           .process = run.server,
           .tid = 100,
           .thread = "server",
           .user = run.user("wait"),
           .tag = off_cpu_tag,
           .value = 20'000});
  run.add({.ms = 90,
           .process = run.server,
           .tid = 100,
           .thread = "server",
           .user = run.user("wait"),
           .tag = off_cpu_tag,
           .value = 5'000});
  // It began before the run.
  run.add({.ms = 95,
           .process = run.tool,
           .tid = 200,
           .thread = "tool",
           .user = run.user("wait"),
           .tag = off_cpu_tag,
           .value = 900'000});
  const FirefoxFile file(run.end());
  const std::vector<std::string> lanes = file.lanes();
  REQUIRE(lanes.size() == 2);
  CHECK(lanes[0] ==
        "server/server 100/100 main: 30=main;wait;[off-cpu]*20 50=main;wait;[off-cpu]*0 85=main;wait;[off-cpu]*5 "
        "90=main;wait;[off-cpu]*0");
  CHECK(file.category("[off-cpu]") == "Waiting");
  const auto& thread = file.document()["threads"][0];
  CHECK(std::string(thread["samples"]["weightType"].GetString()) == "tracing-ms");
  const auto& markers = thread["markers"];
  REQUIRE(markers["length"].GetUint() == 2);
  CHECK(markers["startTime"][0].GetDouble() == 30);
  CHECK(markers["endTime"][0].GetDouble() == 50);
  CHECK(markers["phase"][0].GetUint() == 1);
  CHECK(file.text(markers["name"][0]) == "[off-cpu]");
  CHECK(file.stack(markers["data"][0]["cause"]["stack"]) == "main;wait;[off-cpu]");
  CHECK(file.document()["threads"][1]["markers"]["startTime"][0].GetDouble() == 0);
}

namespace {

// What a run of three events has: samples, waits, and calls without a length.
void add_samples_of_events(Run& run) {
  run.profile.other_events.assign(2, run.profile.run);
  for (RunInfo& other : run.profile.other_events) other.frequency_hz = 0;
  set_measure(run.profile.other_events[0], measures::off_cpu);
  set_measure(run.profile.other_events[1], measures::syscalls);
  run.begin();
  const StackId stack = run.user("work");
  run.add({.ms = 10, .process = run.server, .tid = 100, .thread = "server", .user = stack});
  run.add({.ms = 50,
           .process = run.server,
           .tid = 100,
           .thread = "server",
           .user = stack,
           .tag = off_cpu_tag,
           .value = 20'000,
           .event = 1});
  run.add({.ms = 51, .process = run.server, .tid = 100, .thread = "server", .user = stack, .tag = "read", .event = 2});
  run.add({.ms = 60, .process = run.server, .tid = 100, .thread = "server", .user = stack});
}

}  // namespace

TEST_CASE("of several events, one has the samples of a firefox file and the others are markers") {
  Run run("firefox");
  add_samples_of_events(run);
  const FirefoxFile file(run.end());
  CHECK(file.lanes() == std::vector<std::string>{"server/server 100/100 main: 10=main;work*1 60=main;work*1"});
  const auto& thread = file.document()["threads"][0];
  CHECK(std::string(thread["samples"]["weightType"].GetString()) == "samples");
  const auto& markers = thread["markers"];
  REQUIRE(markers["length"].GetUint() == 2);
  CHECK(std::string(markers["data"][0]["event"].GetString()) == "off-cpu");
  CHECK(markers["startTime"][0].GetDouble() == 30);
  CHECK(markers["endTime"][0].GetDouble() == 50);
  CHECK(file.stack(markers["data"][0]["cause"]["stack"]) == "main;work;[off-cpu]");
  CHECK(std::string(markers["data"][1]["event"].GetString()) == "syscalls");
  CHECK(file.text(markers["name"][1]) == "read");
  CHECK(markers["phase"][1].GetUint() == 0);
  CHECK(markers["startTime"][1].GetDouble() == 51);
  CHECK(markers["endTime"][1].IsNull());
  CHECK(markers["data"][1]["value"].GetUint() == 1);
  CHECK(file.category("[off-cpu]") == "Waiting");
  CHECK(file.category("read") == "Kernel");
}

TEST_CASE("each event is a sequence of a perfetto trace, and has tracks of its own") {
  Run run("perfetto");
  add_samples_of_events(run);
  run.forget();
  run.add({.ms = 70, .process = run.server, .tid = 100, .thread = "server", .user = run.user("more"), .event = 2});
  const PerfettoFile file(run.end());
  CHECK(file.timebases == std::map<std::uint32_t, std::string>{{1, "49 cpu-clock"}, {2, "off-cpu"}, {3, "syscalls"}});
  CHECK(file.samples ==
        std::vector<std::string>{"10 cpu 3 100 100 main;work user", "51 syscalls cpu 3 100 100 main;work;read user",
                                 "60 cpu 3 100 100 main;work user", "70 syscalls cpu 3 100 100 main;more user"});
  CHECK(file.clears.size() == 4);
  REQUIRE(file.events.size() == 6);
  CHECK(file.events[0].ends_with("(also off-cpu, syscalls) type 3"));
  CHECK(file.events[1] == "30 on 2 [off-cpu] type 1 main;work;[off-cpu]");
  CHECK(file.events[2] == "50 on 2 type 2");
  CHECK(file.events[3] == "51 on 3 type 4 count 1");
  CHECK(file.events[4] == "70 on 3 type 4 count 2");
}

TEST_CASE("the spans of several events that overlap are on tracks of their events") {
  Run run("perfetto");
  run.profile.other_events.assign(2, run.profile.run);
  for (RunInfo& other : run.profile.other_events) other.frequency_hz = 0;
  set_measure(run.profile.other_events[0], measures::off_cpu);
  set_measure(run.profile.other_events[1], measures::syscall_times);
  run.begin();
  for (const auto& [ms, tag, event] : {std::tuple(50U, off_cpu_tag, 1U), {51U, "read", 2U}, {90U, "write", 2U}}) {
    run.add({.ms = ms,
             .process = run.server,
             .tid = 100,
             .thread = "server",
             .user = run.user("work"),
             .tag = tag,
             .value = 20'000,
             .event = event});
  }
  const PerfettoFile file(run.end());
  CHECK(file.samples.empty());
  CHECK(file.tracks.size() == 3);
  CHECK(file.tracks.at(3) == "below " + file.tracks.at(2) + " syscalls");
  REQUIRE(file.events.size() == 8);
  CHECK(file.events[1] == "30 on 2 [off-cpu] type 1 main;work;[off-cpu]");
  CHECK(file.events[3] == "31 on 3 read type 1 main;work;read");
  CHECK(file.events[5] == "70 on 3 write type 1 main;work;write");
}

TEST_CASE("each event of a thread is a profile of speedscope, with its unit") {
  Run run("speedscope");
  run.profile.run.frequency_hz = 100;
  add_samples_of_events(run);
  rapidjson::Document document;
  document.Parse(run.end().c_str());
  REQUIRE_FALSE(document.HasParseError());
  const auto& profiles = document["profiles"];
  REQUIRE(profiles.Size() == 3);
  CHECK(std::string(profiles[0]["name"].GetString()) == "server (100), server (100), cpu-clock");
  CHECK(profiles[0]["endValue"].GetUint64() == 60 * ns_per_ms);
  CHECK(std::string(profiles[1]["name"].GetString()) == "server (100), server (100), off-cpu");
  CHECK(std::string(profiles[1]["unit"].GetString()) == "nanoseconds");
  CHECK(profiles[1]["weights"][1].GetUint64() == 20 * ns_per_ms);
  CHECK(std::string(profiles[2]["name"].GetString()) == "server (100), server (100), syscalls, calls");
  CHECK(std::string(profiles[2]["unit"].GetString()) == "none");
}

TEST_CASE("perf script names the event of each sample, and our reader finds its unit") {
  Run run("perf-script");
  add_samples_of_events(run);
  const std::string text = run.end();
  CHECK(text.find("server  100/100 [003] 1700000000.050000000:      20000 off-cpu:\n") != std::string::npos);
  CHECK(text.find("server  100/100 [003] 1700000000.051000000:          1 syscalls:\n") != std::string::npos);
  CHECK(read_profile(text, "x").run.unit == Unit::samples);
  AlienLines aliens;
  ReadRequest request;
  request.event = "off-cpu";
  const Profile waits = read_profile(text, "x", &aliens, request);
  CHECK(waits.run.unit == Unit::microseconds);
  CHECK(waits.run.counted == "waits");
  CHECK(waits.total() == 20'000);
}

TEST_CASE("values of another unit are the weights of a firefox file's samples") {
  Run run("firefox");
  set_measure(run.profile.run, measures::malloc);
  run.begin();
  run.add({.ms = 5, .process = run.server, .tid = 100, .thread = "server", .user = run.user("grow"), .value = 4096});
  const FirefoxFile file(run.end());
  const auto& samples = file.document()["threads"][0]["samples"];
  CHECK(std::string(samples["weightType"].GetString()) == "bytes");
  CHECK(samples["weight"][0].GetUint64() == 4096);
}

TEST_CASE("a perfetto trace has the lanes and the samples of each thread") {
  Run run("perfetto");
  add_samples(run);
  const PerfettoFile file(run.end());
  CHECK(file.timebases == std::map<std::uint32_t, std::string>{{1, "49 cpu-clock"}});
  CHECK(file.clock == realtime_clock);
  CHECK(file.primary_clock == realtime_clock);
  std::set<std::string> tracks;
  for (const auto& [uuid, words] : file.tracks) tracks.insert(words);
  CHECK(tracks == std::set<std::string>{"process 100 server at 3", "process 200 tool",
                                        "below process 100 server at 3 thread 100 100 server",
                                        "below process 100 server at 3 thread 100 101 worker",
                                        "below process 200 tool thread 200 200 tool"});
  const std::vector<std::string> expected{
      "10 cpu 3 100 100 main;work user",
      "20 cpu 3 100 101 main;read;vfs_read kernel",
      "30 cpu 3 200 200 main;jitted user",
      "40 cpu 3 100 100 handle;outer;inner user",
      "50 cpu 3 100 101 [incomplete: no CFI];main;cut user error 3",
      "60 cpu 3 200 200 main;list user",
      "70 cpu 3 100 101 user",
  };
  CHECK(file.samples == expected);
  REQUIRE(file.events.size() == 3);
  CHECK(file.events[1].find("program ls type 3") != std::string::npos);
  CHECK(file.events[2].starts_with("1000 "));
}

TEST_CASE("waits are slices of a perfetto trace, and those that overlap have tracks of their own") {
  Run run("perfetto");
  set_measure(run.profile.run, measures::block_io);
  run.profile.run.frequency_hz = 0;
  run.begin();
  const StackId stack = run.user("submit");
  run.add(
      {.ms = 50, .process = run.server, .tid = 100, .thread = "server", .user = stack, .tag = "read", .value = 20'000});
  run.add(
      {.ms = 60, .process = run.server, .tid = 100, .thread = "server", .user = stack, .tag = "read", .value = 20'000});
  run.add({.ms = 70,
           .process = run.server,
           .tid = 100,
           .thread = "server",
           .user = stack,
           .tag = "write",
           .value = 20'000});
  const PerfettoFile file(run.end());
  CHECK(file.samples.empty());
  CHECK(file.tracks.size() == 3);
  CHECK(file.tracks.at(3) == "below " + file.tracks.at(2) + " block-io");
  REQUIRE(file.events.size() == 8);
  CHECK(file.events[1] == "30 on 2 read type 1 main;submit;read");
  CHECK(file.events[2] == "50 on 2 type 2");
  CHECK(file.events[3] == "40 on 3 read type 1 main;submit;read");
  CHECK(file.events[4] == "60 on 3 type 2");
  CHECK(file.events[5] == "50 on 2 write type 1 main;submit;write");
  CHECK(file.events[6] == "70 on 2 type 2");
}

TEST_CASE("values of another unit are a counter of a perfetto trace") {
  Run run("perfetto");
  set_measure(run.profile.run, measures::malloc);
  run.begin();
  for (const std::uint64_t ms : {5, 6}) {
    run.add({.ms = ms, .process = run.server, .tid = 100, .thread = "server", .user = run.user("grow"), .value = 4096});
  }
  const PerfettoFile file(run.end());
  CHECK(file.samples.size() == 2);
  REQUIRE(file.events.size() == 4);
  CHECK(file.events[1] == "5 on 3 type 4 count 4096");
  CHECK(file.events[2] == "6 on 3 type 4 count 8192");
}

TEST_CASE("programs from outside of the pid namespace are processes of their own in a perfetto trace") {
  Run run("perfetto");
  run.begin();
  const ProcessId database = run.profile.process(0, 0, "database");
  const ProcessId proxy = run.profile.process(0, 1, "proxy");
  const ProcessId idle = run.profile.process(0, 2, "swapper/0");
  for (const auto& [process, thread] : {std::pair(database, "database"), {proxy, "proxy"}, {idle, "swapper/0"}}) {
    run.add({.ms = 5, .process = process, .thread = thread, .user = run.user("work")});
  }
  const PerfettoFile file(run.end());
  std::set<std::string> tracks;
  for (const auto& [uuid, words] : file.tracks) tracks.insert(words);
  CHECK(tracks == std::set<std::string>{"process 4194305 database", "process 4194306 proxy", "process 0 swapper/0",
                                        "below process 4194305 database thread 4194305 0 database",
                                        "below process 4194306 proxy thread 4194306 0 proxy",
                                        "below process 0 swapper/0 thread 0 0 swapper/0"});
  REQUIRE(file.samples.size() == 3);
  CHECK(file.samples[1].starts_with("5 cpu 3 4194306 0 "));
}

TEST_CASE("the numbers of a perfetto trace begin anew with another profile") {
  Run run("perfetto");
  run.begin();
  run.add({.ms = 1, .process = run.server, .tid = 100, .thread = "server", .user = run.user("one")});
  run.forget();
  run.add({.ms = 2, .process = run.server, .tid = 100, .thread = "server", .user = run.user("two")});
  const PerfettoFile file(run.end());
  CHECK(file.clears.size() == 2);
  CHECK(file.samples == std::vector<std::string>{"1 cpu 3 100 100 main;one user", "2 cpu 3 100 100 main;two user"});
  CHECK(file.tracks.size() == 2);
}

TEST_CASE("speedscope gets the samples of each thread in the order of time, with the time between them") {
  Run run("speedscope");
  run.profile.run.frequency_hz = 100;
  add_samples(run);
  rapidjson::Document document;
  document.Parse(run.end().c_str());
  REQUIRE_FALSE(document.HasParseError());
  const auto& profiles = document["profiles"];
  REQUIRE(profiles.Size() == 4);
  // The thread with the most samples is the first: at 20, 50 and 70 ms, each as long as the period of 10 ms.
  CHECK(std::string(profiles[0]["name"].GetString()) == "server (100), worker (101)");
  std::vector<std::uint64_t> weights;
  for (const auto& weight : profiles[0]["weights"].GetArray()) weights.push_back(weight.GetUint64() / ns_per_ms);
  CHECK(weights == std::vector<std::uint64_t>{10, 10, 20, 10, 10, 10});
  const auto& samples = profiles[0]["samples"];
  CHECK(samples[0].Empty());
  CHECK(samples[1].Size() == 3);
  CHECK(samples[2].Empty());
  CHECK(std::string(document["shared"]["frames"][samples[1][2].GetUint()]["name"].GetString()) == "vfs_read");
  CHECK(profiles[0]["endValue"].GetUint64() == 70 * ns_per_ms);
}

TEST_CASE("perf script gets the time of each sample") {
  Run run("perf-script");
  add_samples(run);
  const std::string text = run.end();
  CHECK(text.find("worker  100/101 [003] 1700000000.020000000:          1 cpu-clock:\n") != std::string::npos);
  CHECK(text.find("ls  200/200 [003] 1700000000.060000000:          1 cpu-clock:\n") != std::string::npos);
}
