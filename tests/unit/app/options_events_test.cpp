// Tests the options for what is measured: the event, its effect on other options, and --stream.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/syscall_analysis.h"
#include "options_words.h"

using namespace profile;

namespace {

// Event names that a user can type. A table row with capital letters is a shape; the first four names stand for such
// rows.
const std::vector<std::string>& events() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"LLC-load-misses", "r01c2", "uprobe:libc:malloc", "sched:sched_switch"};
    for (const SourceKind& kind : source_kinds()) {
      const bool is_shape =
          std::any_of(kind.name.begin(), kind.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
      if (!is_shape) all.emplace_back(kind.name);
    }
    return all;
  }();
  return names;
}

std::string format_on_stdout(const Words& words) {
  const Options options = parsed(words);
  REQUIRE(options.outputs.size() == 1);
  return std::string(options.outputs[0].format->name);
}

struct Stacks {
  bool user;
  bool kernel;
  friend bool operator==(const Stacks&, const Stacks&) = default;
};

Stacks stacks_of(const Words& words) {
  const Options options = parsed(words);
  return {options.sampling.user_stacks, options.sampling.kernel_stacks};
}

constexpr Stacks none{false, false};
constexpr Stacks both{true, true};

TEST_CASE("an option is for those events that take it, and some event has to") {
  const Options options = parsed({"-e", "off-cpu", "-e", "syscalls", "--latency", "-o", "a.db"});
  CHECK(options.events.size() == 2);
  CHECK_FALSE(options.events[0].source.latency);
  CHECK(options.events[1].source.latency);
  CHECK(options.reports(0).outputs.empty());
  const Options files = parsed({"-e", "cpu-clock", "-e", "uprobe:/bin/a:f", "-o", "d/a.pb.gz", "-o", "a.folded.gz"});
  CHECK(files.reports(0).outputs[0].path == "d/a.cpu-clock.pb.gz");
  CHECK(files.reports(1).outputs[0].path == "d/a.uprobe:_bin_a:f.pb.gz");
  CHECK(files.reports(1).outputs[1].path == "a.uprobe:_bin_a:f.folded.gz");
}

}  // namespace

TEST_CASE("an event is chosen by its name or its alias") {
  CHECK(parsed({}).events.front().kind->name == "cpu-clock");
  CHECK(parsed({"-e", "off-cpu"}).events.front().kind->name == "off-cpu");
  CHECK(parsed({"--event", "faults"}).events.front().kind->name == "page-faults");
  CHECK(parsed({"-e", "sched:sched_switch"}).events.front().kind->name == "SYSTEM:EVENT");
  CHECK(parsed({"-e", "uprobe:libc:malloc"}).events.front().kind->name == "uprobe:FILE:SYMBOL");
  CHECK(parsed({"-euprobe:libc:malloc"}).events.front().name == "uprobe:libc:malloc");
}

TEST_CASE("a modifier stays with its event") {
  for (const char* event : {"cpu-clock:u", "cs:k", "page-faults:uk", "LLC-load-misses:u", "r01c2:k"}) {
    CAPTURE(event);
    CHECK(parsed({"-e", event}).events.front().name == event);
  }
  refused_with({"-e", "off-cpu:u"}, {"-e off-cpu:u", "the nearest: off-cpu"});
}

TEST_CASE("an unknown event is refused with the most similar names") {
  refused_with({"-e", "cpu-clok"}, {"-e cpu-clok", "cpu-clock", "--list-events"});
  refused_with({"-e", "ofcpu"}, {"-e ofcpu", "off-cpu"});
  refused_with({"-e", "syscal"}, {"syscalls"});
  refused_with({"-e", "page-fault:u"}, {"page-faults:u"});
  refused_with({"-e", ""}, {"-e ''", "no such event"});
  refused_with({"-e", "cpu-clock,off-cpu"}, {"one event each: -e cpu-clock -e off-cpu"});
  refused_with({"-e", "cpu-clock", "-e", "off-cpu"}, {"several -e"});
}

TEST_CASE("the option --list-events ignores other arguments") {
  CHECK(parsed({"--list-events", "-p", "abc"}).list_events);
}

TEST_CASE("each event has its own format on standard output, unless another format is requested") {
  for (const std::string& event : events()) {
    CAPTURE(event);
    CHECK(format_on_stdout({"-e", event.c_str()}) == (event == "syscalls" ? "table" : "counted"));
    CHECK(format_on_stdout({"-e", event.c_str(), "-f"}) == "folded");
    CHECK(format_on_stdout({"-e", event.c_str(), "--format", "json"}) == "json");
  }
  CHECK(format_on_stdout({"-e", "syscalls", "-o", "x"}) == "table");
  CHECK(format_on_stdout({"-e", "syscalls", "-o", "x.txt"}) == "counted");
}

TEST_CASE("stacks are taken for every event except system calls, in every format") {
  for (const std::string& event : events()) {
    if (event == "syscalls") continue;
    CAPTURE(event);
    CHECK(stacks_of({"-e", event.c_str()}) == both);
    CHECK(stacks_of({"-e", event.c_str(), "--format", "table"}) == both);
    CHECK(stacks_of({"-e", event.c_str(), "-U"}) == Stacks{true, false});
    CHECK(stacks_of({"-e", event.c_str(), "-K"}) == Stacks{false, true});
  }
}

TEST_CASE("stacks of system calls are taken only for a format that shows them") {
  CHECK(stacks_of({"-e", "syscalls"}) == none);
  CHECK(stacks_of({"-e", "syscalls", "--latency"}) == none);
  CHECK(stacks_of({"-e", "syscalls", "-o", "x.json", "-o", "x.table"}) == none);
  CHECK(stacks_of({"-e", "syscalls", "-f"}) == both);
  CHECK(stacks_of({"-e", "syscalls", "-r"}) == both);
  CHECK(stacks_of({"-e", "syscalls", "-o", "x.json", "-o", "x.folded"}) == both);
  CHECK(stacks_of({"-e", "syscalls", "--stream"}) == both);
  CHECK(stacks_of({"-e", "syscalls", "-f", "-U"}) == Stacks{true, false});
  CHECK(stacks_of({"-e", "syscalls", "-f", "-K"}) == Stacks{false, true});
  for (const char* part : {"-U", "-K"}) refused_with({"-e", "syscalls", part}, {"-U", "-K", "stacks"});
}

TEST_CASE("an option of some events is refused for every other event") {
  const std::vector<Words> options = {
      {"--min-block-us", "1"}, {"--max-block-us", "1"}, {"--state", "any"}, {"--latency"}, {"--failed"},
      {"--by-process"},        {"--category", "ipc"},   {"--live"}};
  const std::vector<std::pair<std::string, std::vector<std::string>>> takers = {
      {"off-cpu", {"--min-block-us", "--max-block-us", "--state"}},
      {"futex", {"--min-block-us", "--max-block-us"}},
      {"syscalls", {"--latency", "--failed", "--by-process", "--category"}},
      {"malloc", {"--live"}}};
  for (const std::string& event : events()) {
    for (const Words& option : options) {
      Words words = {"-e", event.c_str()};
      words.insert(words.end(), option.begin(), option.end());
      const bool taken = std::any_of(takers.begin(), takers.end(), [&](const auto& taker) {
        return taker.first == event && std::count(taker.second.begin(), taker.second.end(), option[0]) != 0;
      });
      CAPTURE(event);
      CAPTURE(option[0]);
      if (taken) {
        CHECK(error_of(words).empty());
      } else {
        refused_with(words, {option[0], "-e "});
      }
    }
  }
  refused_with({"--latency"}, {"--latency", "-e cpu-clock"});
}

TEST_CASE("each switch of an event sets its own field") {
  CHECK(parsed({"-e", "syscalls", "--latency"}).events.front().source.latency);
  CHECK(parsed({"-e", "syscalls", "--failed"}).events.front().source.failed);
  CHECK(parsed({"-e", "syscalls", "--by-process"}).events.front().source.by_process);
  CHECK(parsed({"-e", "malloc", "--live"}).events.front().source.live);
  const SourceOptions plain = parsed({"-e", "syscalls"}).events.front().source;
  CHECK_FALSE(plain.latency);
  CHECK_FALSE(plain.failed);
  CHECK_FALSE(plain.by_process);
  CHECK_FALSE(plain.live);
  CHECK_FALSE(plain.category);
}

TEST_CASE("the bounds of a wait are microseconds, and the lower bound is not above the upper") {
  const SourceOptions all = parsed({"-e", "off-cpu"}).events.front().source;
  CHECK(all.min_block_us == 0);
  CHECK(all.max_block_us == UINT64_MAX);
  const SourceOptions some =
      parsed({"-e", "futex", "--min-block-us", "7", "--max-block-us", "7"}).events.front().source;
  CHECK(some.min_block_us == 7);
  CHECK(some.max_block_us == 7);
  CHECK(parsed({"-e", "off-cpu", "--min-block-us", "0"}).events.front().source.min_block_us == 0);
  for (const char* value : {"abc", "-1", "1.5", "1e3", "", " 1", "99999999999999999999999"}) {
    refused_with({"-e", "off-cpu", "--min-block-us", value}, {"--min-block-us", value});
    refused_with({"-e", "off-cpu", "--max-block-us", value}, {"--max-block-us", value});
  }
  refused_with({"-e", "off-cpu", "--max-block-us", "0"}, {"--max-block-us 0"});
  refused_with({"-e", "off-cpu", "--min-block-us", "8", "--max-block-us", "7"}, {"--min-block-us 8", "--max-block-us"});
}

TEST_CASE("a wait state is one of four words") {
  const auto state_of = [](const char* typed) {
    return parsed({"-e", "off-cpu", "--state", typed}).events.front().source.wait_state;
  };
  CHECK((parsed({"-e", "off-cpu"}).events.front().source.wait_state == WaitState::any));
  CHECK((state_of("any") == WaitState::any));
  CHECK((state_of("preempted") == WaitState::preempted));
  CHECK((state_of("interruptible") == WaitState::interruptible));
  CHECK((state_of("uninterruptible") == WaitState::uninterruptible));
  for (const char* typed : {"", "Any", "sleeping", "D", "any,preempted"}) {
    refused_with({"-e", "off-cpu", "--state", typed},
                 {"--state " + std::string(typed), "preempted", "interruptible", "uninterruptible", "any"});
  }
}

TEST_CASE("a category is one of ten words, and the error for another word names them all") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < syscall_categories; ++i) {
    const auto category = static_cast<SyscallCategory>(i);
    names.emplace_back(name_of(category));
    CAPTURE(names.back());
    CHECK((parsed({"-e", "syscalls", "--category", names.back().c_str()}).events.front().source.category == category));
  }
  CHECK(names.size() == 10);
  names.emplace_back("--category net");
  refused_with({"-e", "syscalls", "--category", "net"}, names);
  refused_with({"-e", "syscalls", "--category", ""}, {"--category"});
}

TEST_CASE("tables have ten rows by default, and at least one row") {
  CHECK(parsed({}).output.top == 10);
  CHECK(parsed({"-e", "syscalls", "--top", "3"}).output.top == 3);
  for (const char* value : {"0", "abc", "1.5", "", "4294967296"}) {
    refused_with({"--top", value}, {"--top", value});
  }
}

TEST_CASE("a stream has the form after its equals sign, and the table form without one") {
  CHECK((parsed({}).stream == nullptr));
  CHECK_FALSE(parsed({}).sampling.each_sample);
  CHECK(parsed({}).sampling.rows);
  CHECK(parsed({"--stream"}).stream->name == "table");
  CHECK(parsed({"--stream"}).sampling.each_sample);
  CHECK_FALSE(parsed({"--stream"}).sampling.rows);
  for (const StreamForm& form : stream_forms()) {
    const std::string word = "--stream=" + std::string(form.name);
    CHECK(parsed({word.c_str()}).stream->name == form.name);
  }
  refused_with({"--stream=pdf"}, {"--stream pdf", "table", "stacks", "folded", "json"});
  refused_with({"--stream="}, {"--stream"});
  refused_with({"--stream", "--stream"}, {"--stream"});
  refused_with({"--stream=json", "--stream"}, {"--stream"});
  refused_with({"--stream", "--stream=json"}, {"--stream"});
}

TEST_CASE("a word after --stream is the duration and not the form") {
  for (const Words& words : {Words{"--stream", "5"}, Words{"5", "--stream"}, Words{"--stream", "-F", "99", "5"},
                             Words{"--strea", "5"}, Words{"-q", "--stream", "5", "-F", "99"}}) {
    const Options options = parsed(words);
    CHECK(options.stream->name == "table");
    CHECK(options.duration_s == 5.0);
  }
  CHECK(parsed({"--stream=json", "0.5"}).stream->name == "json");
  CHECK(parsed({"--stream=json", "0.5"}).duration_s == 0.5);
  CHECK(parsed({"--stream", "--", "5"}).command == std::vector<std::string>{"5"});
  refused_with({"--stream", "1", "5"}, {"5: "});
  refused_with({"--stream", "abc"}, {"abc: neither a duration"});
  refused_with({"--stream", "folded"}, {"--stream folded", "--stream=folded"});
  refused_with({"--stream", "folded", "5"}, {"--stream folded", "--stream=folded"});
}

TEST_CASE("a stream excludes the options of reports") {
  refused_with({"--stream", "-f"}, {"--stream", "-f"});
  refused_with({"--stream", "-r"}, {"--stream", "-r"});
  refused_with({"--stream", "--format", "json"}, {"--stream", "--format"});
  refused_with({"--stream", "-i", "1"}, {"--stream", "-i"});
  CHECK(parsed({"--stream"}).stream_path == "-");
  CHECK(parsed({"--stream", "-o", "a.json"}).stream_path == "a.json");
  CHECK(parsed({"--stream", "-o", "a.json"}).outputs.empty());
  refused_with({"--stream", "-o", "a", "-f"}, {"--stream", "-f"});
}

TEST_CASE("each further output of a stream is a report") {
  const Options both = parsed({"--stream=json", "-o", "a.any", "-o", "b.html", "-o", "-", "-f"});
  CHECK(both.stream_path == "a.any");
  REQUIRE(both.outputs.size() == 2);
  CHECK(both.outputs[0].format->name == "html");
  CHECK(both.outputs[1].path == "-");
  CHECK(both.outputs[1].format->name == "folded");
  CHECK(both.sampling.each_sample);
  CHECK(both.sampling.rows);
  refused_with({"--stream", "-o", "a", "-o", "a"}, {"a", "given twice"});
  refused_with({"--stream", "-o", "-", "-o", "b.html", "-o", "b.html"}, {"b.html", "given twice"});
  refused_with({"--stream", "-o", "", "-o", "b.html"}, {"-o", "not a file name"});
}
