// Tests files of other tools and damaged files. The error for a damaged file is one clear line that says where.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "input/profile_reader.h"
#include "output/output.h"
#include "support/error.h"

namespace {

using namespace profile;

std::string folded(const Profile& profile, bool annotate = false) {
  std::ostringstream out;
  find_output_format("folded")->make({.annotate = annotate}).report(out, profile);
  return out.str();
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(read_profile(text, "in"));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("perf script text is read with the default fields and with requested fields") {
  const Profile read = read_profile(
      "java 12688 [002] 6544038.708352: cpu-clock:\n"
      "\tffffffff8103ce3b native_safe_halt ([kernel.kallsyms])\n"
      "\t    7f0a3b4c12ab [unknown] (/tmp/perf-12688.map)\n"
      "\t    7f0a3b4c1000 Lfoo/Bar;::run+0x10 (/tmp/perf-12688.map)\n"
      "\n"
      "V8 WorkerThread 24636/25607 [000] 94564.109216:     250000 cpu-clock:\n"
      "\t          401136 std::map<int, int>::find(int const&)+0x1f (/usr/bin/an app)\n"
      "\t          401000 main+0x20 (/usr/bin/app)\n"
      "\n"
      "app  77/78  12.5: cpu-clock:            401136 one+0x3 (/usr/bin/app)\n"
      "app  77/78  13.5: 1 cycles:            401136 other+0x3 (/usr/bin/app)\n",
      "in");
  CHECK(folded(read, true) ==
        "V8 WorkerThread;main;std::map<int, int>::find(int const&) 1\n"
        "app;one 1\n"
        "java;Lfoo/Bar:::run;[unknown];native_safe_halt_[k] 1\n");
  CHECK(read.run.event == "cpu-clock");
  CHECK(read.run.unit.word() == "samples");
}

TEST_CASE("a thread whose name begins with a number sign is no comment in perf script text") {
  const std::string text =
      "# ========\n# captured on    : Thu Nov 26 15:10:05 2026\n# time of first sample : 1234.567890\n# ========\n"
      "#1 worker 7/8 [000] 12.5:          1 cpu-clock:\n\t401136 main+0x3 (/usr/bin/app)\n\n";
  CHECK(folded(read_profile(text, "in")) == "#1 worker;main 1\n");
}

TEST_CASE("other events and foreign lines in perf script text are counted and reported") {
  AlienLines aliens;
  const Profile read = read_profile(
      "app 7/7 1.000000: cpu-clock:\n\t1 f (x)\n\nWARNING: lost 3 chunks\napp 7/7 1.5: 10 cycles:\n\t1 g (x)\n\n", "in",
      &aliens);
  CHECK(folded(read) == "app;f 1\n");
  CHECK(aliens.count == 2);
  CHECK(aliens.first.starts_with("in:4: "));
}

TEST_CASE("speedscope files of other programs are read with events, seconds and fractions") {
  const Profile read = read_profile(
      R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[
      {"type":"evented","name":"t1","unit":"seconds","startValue":0,"endValue":1,"events":[
        {"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":0.25},{"type":"C","frame":1,"at":0.75},{"type":"C","frame":0,"at":1}]},
      {"type":"sampled","name":"t2","unit":"milliseconds","startValue":0,"endValue":2,"samples":[[0,1],[]],"weights":[1.5,0.5]}],
      "shared":{"frames":[{"name":"a"},{"name":"b","file":"/src/b.js","line":3}]}})",
      "in");
  CHECK(read.run.unit.word() == "nanoseconds");
  CHECK(read.total() == 1'002'000'000);
  CHECK(folded(read) == "t2 500000\nt2;a;b b.js:3 1500000\nt1;a 500000000\nt1;a;b b.js:3 500000000\n");
}

TEST_CASE("frames of a speedscope file that are left open last up to its end") {
  const std::string begin =
      R"({"shared":{"frames":[{"name":"main"},{"name":"work"}]},"profiles":[{"type":"evented","name":"t","unit":"milliseconds","startValue":0,)";
  const std::string events = R"("events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":10}]}]})";
  CHECK(folded(read_profile(begin + R"("endValue":100,)" + events, "in")) == "t;main 10000000\nt;main;work 90000000\n");
  CHECK(refusal(begin + events).find("still open at the end") != std::string::npos);
}

TEST_CASE("fractions in a speedscope file keep their shares") {
  const auto with = [](const std::string& unit, const std::string& weights) {
    return read_profile(
        R"({"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[{"type":"sampled","name":"t","unit":")" + unit +
            R"(","samples":[[0],[1]],"weights":[)" + weights + "]}]}",
        "in");
  };
  const Profile counts = with("none", "0.3,0.1");
  CHECK(folded(counts) == "t;b 100\nt;a 300\n");
  CHECK(counts.run.unit.word() == "thousandths");
  const Profile micros = with("microseconds", "0.5,2");
  CHECK(folded(micros) == "t;a 500\nt;b 2000\n");
  CHECK(micros.run.unit.word() == "nanoseconds");
  CHECK(with("microseconds", "5,2").run.unit.word() == "microseconds");
  CHECK(with("nanoseconds", "0.5,0.25").run.unit.word() == "picoseconds");
}

TEST_CASE("brackets and deleted files in a speedscope file of another program are no kernel") {
  const std::string frames =
      R"json([{"name":"a","file":"[eval]"},{"name":"b","file":"/srv/app (deleted)"},{"name":"c","file":"[kernel.kallsyms]"}])json";
  const Profile read = read_profile(
      R"({"shared":{"frames":)" + frames +
          R"(},"profiles":[{"type":"sampled","name":"t","unit":"none","samples":[[0,1,2]],"weights":[1]}]})",
      "in");
  std::ostringstream out;
  find_output_format("folded")->make({.annotate = true, .show_modules = true}).report(out, read);
  CHECK(out.str() == "t;a [eval];b [app];c [kernel.kallsyms]_[k] 1\n");
}

TEST_CASE("JSON that is damaged, cut off or no profile is refused with the place and the reason") {
  CHECK(refusal("{\"ebpf\":{\n\"profile\":{\"unit\":\"samples\",\"rows\":[{\"value\":1,}]}}}")
            .starts_with("in:2: this is no JSON"));
  CHECK(refusal("{\"ebpf\":{\"profile\":{").starts_with("in:1: this is no JSON: it is cut off"));
  CHECK(refusal("{\"events\":[]}").find("none that is known to be a profile") != std::string::npos);
  CHECK(refusal("{}").find("none that is known to be a profile") != std::string::npos);
  CHECK(refusal("{\"a\":" + std::string(1000, '[')).find("nested deeper") != std::string::npos);
  const auto of_rows = [](const std::string& rows) {
    return refusal(
        R"({"profile":{"event":"x"},"ebpf":{"profile":{"unit":"samples","processes":[{"pid":1,"image":0,"name":"a"}],"frames":[],"stacks":[[7]],"rows":[)" +
        rows + "]}}}");
  };
  CHECK(of_rows(R"({"process":0})").find("a row has no value") != std::string::npos);
  CHECK(of_rows(R"({"process":3,"value":1})").find("refers to a process that is not in it") != std::string::npos);
  CHECK(of_rows(R"({"process":0,"user":0,"value":1})").find("refers to a frame that is not in it") !=
        std::string::npos);
  CHECK(of_rows(R"({"process":0,"user":5,"value":1})").find("refers to a stack that is not in it") !=
        std::string::npos);
  CHECK(of_rows(R"({"process":0,"value":-1})").find("the value of a row is no number that it can be") !=
        std::string::npos);
  CHECK(of_rows(R"({"process":0,"value":18446744073709551615},{"process":0,"value":1})").find("add up to more") !=
        std::string::npos);
}

TEST_CASE("a damaged line of a stream is refused with its number") {
  const std::string line =
      R"({"time_unix_ns":1,"comm":"a","pid":1,"tid":1,"cpu":0,"event":"cpu-clock","unit":"samples","value":1,"user":[],"kernel":[]})";
  CHECK(refusal(line + "\n" + line + "\n" + line.substr(0, 40) + "\n").starts_with("in:3: this is no JSON"));
  CHECK(read_profile(line + "\n" + line + "\n", "in").total() == 2);
}

TEST_CASE("contradictory speedscope files are refused") {
  const auto with = [](const std::string& profile) {
    return refusal(R"({"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","name":"x",)" + profile +
                   "}]}");
  };
  CHECK(with(R"("unit":"none","samples":[[0]],"weights":[])").find("not as many weights as samples") !=
        std::string::npos);
  CHECK(with(R"("unit":"none","samples":[[1]],"weights":[1])").find("refers to frame 1") != std::string::npos);
  CHECK(with(R"("unit":"none","samples":[[0]],"weights":[-1])").find("a weight is no number") != std::string::npos);
  CHECK(with(R"("unit":"pounds","samples":[[0]],"weights":[1])").find("in pounds") != std::string::npos);
  CHECK(with(R"("unit":"none","events":[{"type":"C","frame":0,"at":1}])").find("not the last one opened") !=
        std::string::npos);
}

TEST_CASE("a small speedscope file that unfolds to endless stacks is refused before it uses much memory") {
  std::string text =
      R"({"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented","name":"x","unit":"none","events":[)";
  constexpr int depth = 20000;
  for (int i = 0; i < depth; ++i) text += R"({"type":"O","frame":0,"at":)" + std::to_string(i) + "},";
  text.back() = ']';
  CHECK(refusal(text + "}]}").find("more than can be kept") != std::string::npos);
}

TEST_CASE("a counted report that is cut off or damaged is refused with the line number") {
  const std::string block = "    main+0x10 [dd]\n    -                dd (185)\n        7\n\n";
  CHECK(folded(read_profile("Sampling at 99 Hertz of all threads by user + kernel stack for 5 secs.\n\n" + block,
                            "in")) == "dd;main 7\n");
  CHECK(refusal(block + "    main+0x10 [dd]\n").starts_with("in:5: no block of a counted report: it is cut off"));
  CHECK(refusal(block + "    main+0x10 [dd]\n\n").find("whose it is") != std::string::npos);
  CHECK(refusal(block + "    -                dd (185)\n        x\n").find("its value is no number") !=
        std::string::npos);
}

TEST_CASE("threads of one number are one process in a counted report, and threads without a number are several") {
  const auto block = [](const std::string& owner) {
    return "    main\n    -                " + owner + "\n        7\n\n";
  };
  const Profile read = read_profile(block("dd (185)") + block("writer (185)") + block("a (0)") + block("b (0)"), "in");
  const auto rows = read.rows();
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].process == rows[1].process);
  CHECK(read.strings.view(rows[1].thread_name) == "writer");
  // The hottest thread comes last in a report.
  CHECK(read.strings.view(read.process(rows[0].process).name) == "writer");
  CHECK(rows[2].process != rows[3].process);
  CHECK(read.processes().size() == 3);
  // A process that is all of its name has no number.
  const Profile merged = read_profile(block("cc1plus") + block("cc1plus") + block("f (x)"), "in");
  CHECK(merged.processes().size() == 2);
  CHECK(merged.process(merged.rows()[0].process).tgid == 0);
  CHECK(merged.total() == 21);
}

TEST_CASE("a folded line can begin with a brace") {
  CHECK(folded(read_profile("{main};work 7\n", "in")) == "{main};work 7\n");
}
