// Tests the options of live views and of runs that write many files: -T, --top, -E, --keep.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "app/live_views.h"
#include "app/parsed_options.h"
#include "app/print.h"
#include "options_words.h"

using namespace profile;

TEST_CASE("the option --top is the live view without a number, and the number of table rows with one") {
  CHECK_FALSE(parsed({}).top_view);
  CHECK(parsed({"--top"}).top_view);
  CHECK(parsed({"--top"}).output.top == 10);
  CHECK(parsed({"--top"}).outputs.empty());
  CHECK(parsed({"30", "--top"}).top_view);
  CHECK(parsed({"30", "--top"}).duration_s == 30);
  CHECK(parsed({"--top", "-p", "1"}).top_view);
  CHECK(parsed({"--top", "--", "true"}).command.size() == 1);
  CHECK_FALSE(parsed({"--top", "30"}).top_view);
  CHECK(parsed({"--top", "30"}).output.top == 30);
  CHECK(parsed({"--top=30"}).output.top == 30);
  CHECK(parsed({"--top", "-o", "a.svg"}).outputs.size() == 1);
  refused_with({"--top", "-f"}, {"--top", "terminal"});
  refused_with({"--top", "-o", "-"}, {"--top", "terminal"});
  refused_with({"--top", "--top"}, {"--top"});
  refused_with({"--top", "--stream"}, {"--stream", "--top"});
  refused_with({"--top", "-v"}, {"-v", "--top"});
}

TEST_CASE("the option -T serves a page on the loopback address, and prints a report only on request") {
  CHECK_FALSE(live_options_of(ParsedOptions({})));
  const auto live = live_options_of(ParsedOptions({"-T"}));
  REQUIRE(live);
  CHECK(live->address == "127.0.0.1");
  CHECK(live->port == 9090);
  CHECK(live->path == "/");
  const Options options = parsed({"-T"});
  CHECK(options.outputs.empty());
  CHECK(options.sampling.by_thread);
  CHECK(options.sampling.by_cpu);
  CHECK(options.sinks.at(0).pace_s == 1.0);
  CHECK(parsed({"-T", "-f"}).outputs.size() == 1);
  const auto told = live_options_of(ParsedOptions({"-T", "-P", "/here", "-R", "0", "--listen", "::1"}));
  REQUIRE(told);
  CHECK(told->address == "::1");
  CHECK(told->port == 0);
  CHECK(told->path == "/here");
  for (const char* value : {"65536", "-1", "http", ""}) refused_with({"-T", "-R", value}, {"-R", value});
  refused_with({"-R", "80"}, {"--port", "-T"});
  refused_with({"-P", "/x"}, {"--path", "-T"});
  refused_with({"--listen", "::"}, {"--listen", "-T"});
  refused_with({"-T", "--stream"}, {"--stream", "-T"});
}

TEST_CASE("stacks are taken for the live views, even for an event with tables only") {
  CHECK_FALSE(parsed({"-e", "syscalls"}).sampling.user_stacks);
  CHECK(parsed({"-e", "syscalls", "-T"}).sampling.user_stacks);
  CHECK(parsed({"-e", "syscalls", "--top"}).sampling.kernel_stacks);
}

TEST_CASE("rows are collected for the sinks of profiles, also beside a sink of samples") {
  CHECK_FALSE(parsed({"--stream"}).sampling.rows);
  CHECK_FALSE(parsed({"-o", "a.db"}).sampling.rows);
  CHECK_FALSE(parsed({"-o", "a.pftrace"}).sampling.rows);
  for (const Words& words : {Words{"--stream", "--push", "parca+http://a"},
                             {"-T"},
                             {"-o", "a.db", "--top"},
                             {"-o", "a.pftrace", "-o", "a.txt"}}) {
    const Options options = parsed(words);
    CHECK(options.sampling.rows);
    CHECK(options.sinks.size() == 2);
    CHECK(options.sampling.each_sample);
    CHECK(options.sampling.by_thread);
  }
}

TEST_CASE("rows are separate by thread and by CPU on request") {
  CHECK_FALSE(parsed({}).sampling.by_thread);
  CHECK_FALSE(parsed({}).sampling.by_cpu);
  CHECK(parsed({"--per-thread"}).sampling.by_thread);
  CHECK_FALSE(parsed({"--per-thread"}).sampling.by_cpu);
  CHECK(parsed({"--per-cpu"}).sampling.by_cpu);
  // The page always keeps rows apart. Reports beside the page do so only if the options ask for it.
  CHECK_FALSE(parsed({"-T"}).apart.by_thread);
  CHECK_FALSE(parsed({"-T"}).apart.by_cpu);
  CHECK(parsed({"-T", "--per-thread"}).apart.by_thread);
  CHECK_FALSE(parsed({"-T", "--per-thread"}).apart.by_cpu);
  CHECK(parsed({"-T", "--per-cpu"}).apart.by_cpu);
  CHECK(parsed({"--per-cpu"}).apart.by_cpu);
}

TEST_CASE("a film has a high sampling rate by default") {
  CHECK(parsed({}).sampling.default_frequency_hz == 49);
  for (const Options& options : {parsed({"-E"}), parsed({"-g", "%04d.png", "-i", "2"})}) {
    CHECK(options.sampling.default_frequency_hz == 997);
    CHECK(!options.sampling.frequency_hz);
  }
  CHECK(parsed({"-E", "-F", "49"}).sampling.frequency_hz == 49);
}

TEST_CASE("a film is one numbered picture for each interval") {
  const Options options = parsed({"-E"});
  REQUIRE(options.outputs.size() == 1);
  CHECK(options.outputs[0].path == "flamegraph%04d.png");
  CHECK(options.outputs[0].format->name == "png");
  CHECK(options.outputs[0].makes_directory);
  CHECK(options.interval_s == 1);
  CHECK(parsed({"-g", "a/f%d5%03d.png"}).outputs[0].path == "a/f%d5%03d.png");
  CHECK(parsed({"-E", "-i", "0.5"}).interval_s == 0.5);
  CHECK(parsed({"-E", "-f"}).outputs.size() == 2);
  refused_with({"-g", "frames.png"}, {"-g", "frames.png", "%04d"});
  refused_with({"-g", "%Q%04d.png"}, {"-g", "%Q"});
  refused_with({"-g", ""}, {"-g"});
  refused_with({"-g", "-"}, {"-g"});
  refused_with({"-E", "--stream"}, {"--stream", "-E"});
}

TEST_CASE("the option -g without a pattern is accepted as in perf, with a remark") {
  for (const Words& words : {Words{"-F", "99", "-ag"},
                             {"-F", "99", "-ga", "--", "true"},
                             {"-F", "99", "-a", "-g", "5"},
                             {"-g", "-F", "99", "-a"}}) {
    const Options options = parsed(words);
    CHECK(options.remarks.size() == 1);
    CHECK(options.sampling.frequency_hz == 99U);
    CHECK(options.output.annotate);
    CHECK_FALSE(options.interval_s);
    CHECK(options.outputs[0].path == "-");
  }
  CHECK(parsed({"-g", "f%03d.png"}).remarks.empty());
  CHECK(parsed({"-gf%03d.png"}).outputs[0].path == "f%03d.png");
  CHECK(parsed({"-og"}).outputs[0].path == "g");
  CHECK(parsed({"--format", "folded", "--", "ls", "-g"}).remarks.empty());
  refused_with({"-E", "-g"}, {"-g", "PATTERN"});
}

TEST_CASE("a format for one report needs a different file name for each interval") {
  for (const char* ending : {"html", "svg", "png", "pb.gz", "speedscope.json"}) {
    const std::string one = std::string("x.") + ending;
    const std::string many = std::string("x-%H%M%S.") + ending;
    refused_with({"-i", "1", "-o", one.c_str()}, {"-i", one});
    CHECK(parsed({"-i", "1", "-o", many.c_str()}).outputs[0].path == many);
  }
  CHECK(parsed({"-i", "1", "-o", "x.folded"}).outputs.size() == 1);
  refused_with({"-o", "x-%Q.folded"}, {"-o", "%Q"});
}

TEST_CASE("the option --keep needs an output with many files") {
  CHECK_FALSE(parsed({}).keep.has_value());
  CHECK(parsed({"-i", "1", "-o", "x-%s.folded", "--keep", "3"}).keep == 3U);
  refused_with({"--keep", "3"}, {"--keep"});
  refused_with({"-o", "x.folded", "--keep", "3"}, {"--keep"});
  for (const char* value : {"0", "-1", "x"}) {
    refused_with({"-i", "1", "-o", "x-%s.folded", "--keep", value}, {"--keep", value});
  }
}

TEST_CASE("the command line is kept in the syntax of a shell") {
  CHECK(parsed({"-F", "9", "-o", "it's.svg", "--", "sh", "-c", "echo $HOME"}).command_line ==
        "profile -F 9 -o 'it'\\''s.svg' -- sh -c 'echo $HOME'");
  CHECK(shell_quoted(std::array<const char*, 3>{"", "a b", "x=%Y"}) == "'' 'a b' x=%Y");
}
