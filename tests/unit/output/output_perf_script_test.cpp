// Compares perf script text with lines made by hand. With hostile names, it must still keep the rules of its readers.
#include <doctest/doctest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "input/profile_reader.h"
#include "output/output.h"
#include "output/stream.h"

namespace {

using namespace profile;

std::string script(const Profile& profile) {
  std::ostringstream out;
  const auto output = find_output_format("perf-script")->make({});
  output.begin(out, profile.run);
  output.report(out, profile);
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("perf script text has one event for each sample, frames leaf first, the heaviest stack first") {
  Profile profile;
  profile.began_ns = 5'000'000'000;
  test::Namer name(profile);
  const ProcessId dd = profile.process(185, 0, "dd");
  Row row;
  row.process = dd;
  row.thread_name = profile.strings.intern("dd");
  row.user = profile.stack(std::vector{name.user(dd, 0x555500001010, "main", "dd", 0x10)});
  row.value = row.samples = 1;
  profile.add(row);
  row.kernel = profile.stack(std::vector{name.kernel(0xffffffff81200010, "vfs_read", "kernel", 0x10),
                                         name.kernel(0xffffffffc04011a2, "nft_do_chain", "nf_tables", 0x1a2)});
  row.value = row.samples = 2;
  profile.add(row);
  const std::string both =
      "\tffffffff81200010 vfs_read+0x10 ([kernel.kallsyms])\n"
      "\tffffffffc04011a2 nft_do_chain+0x1a2 ([nf_tables])\n";
  const std::string user = "\t    555500001010 main+0x10 (dd)\n\n";
  CHECK(script(profile) ==
        "# ========\n"
        "# profile : unit = samples, counted = samples, frequency = 49, period = 0, event = cpu-clock\n"
        "# ========\n#\n"
        "dd  185/185 5.000000000:          1 cpu-clock:\n" +
            both + user + "dd  185/185 5.020408163:          1 cpu-clock:\n" + both + user +
            "dd  185/185 5.040816326:          1 cpu-clock:\n" + user);
}

TEST_CASE("separate threads and CPUs have their own lanes and numbers in perf script text") {
  Profile profile;
  const ProcessId app = profile.process(185, 0, "app");
  for (const std::uint32_t tid : {185U, 187U}) {
    Row row;
    row.process = app;
    row.tid = tid;
    row.cpu = tid - 184;
    row.thread_name = profile.strings.intern("app");
    row.value = row.samples = 1;
    profile.add(row);
  }
  const std::string text = script(profile);
  CHECK(text.find("\napp  185/185 [001] 0.000000000:          1 cpu-clock:\n\n") != std::string::npos);
  CHECK(text.find("\napp  185/187 [003] 0.000000000:          1 cpu-clock:\n\n") != std::string::npos);
}

TEST_CASE("in perf script text each process without a number gets one that no process can have") {
  Profile profile;
  for (const char* const program : {"database", "proxy", "swapper/0"}) {
    Row row;
    row.process = profile.process(0, static_cast<std::uint32_t>(profile.processes().size()), program);
    row.thread_name = profile.strings.intern(program);
    row.value = row.samples = 2;
    profile.add(row);
  }
  const std::string text = script(profile);
  for (const char* const line :
       {"\ndatabase  4194305/4194305 0.000000000: ", "\ndatabase  4194305/4194305 0.020408163: ",
        "\nproxy  4194306/4194306 0.000000000: ", "\nswapper/0  0/0 0.000000000: "}) {
    CHECK_MESSAGE(text.find(line) != std::string::npos, text);
  }
  const Profile again = read_perf_script(text, "x");
  CHECK(again.processes().size() == 3);
  for (const Process& process : again.processes()) CHECK(process.tgid == 0);
  for (const Row& row : again.rows()) CHECK(row.tid == 0);
}

TEST_CASE("a weight of more than one sample is a period in perf script text, and a tag is a frame at the leaf") {
  const Profile profile = test::wall_profile();
  const std::string text = script(profile);
  std::uint64_t sum = 0;
  std::uint64_t events = 0;
  const std::regex event(R"(.*: +([0-9]+) wall:)");
  for (const std::string& line : lines_of(text)) {
    std::smatch match;
    if (!std::regex_match(line, match, event)) continue;
    sum += std::stoull(match[1]);
    ++events;
  }
  CHECK(sum == profile.total());
  CHECK(events == 146);
  CHECK(text.find("\t               0 [off-cpu] ([tag])\n") != std::string::npos);
  CHECK(text.find("\t               0 [Missed Kernel Stack] ([kernel.kallsyms])\n") != std::string::npos);
  CHECK(text.find("unit = microseconds,") != std::string::npos);
}

TEST_CASE("no name makes a line that readers of perf script text take for another kind") {
  Profile profile = test::fixed_profile();
  test::Namer name(profile);
  const ProcessId app = profile.process(9, 0, "x");
  Row row;
  row.process = app;
  row.value = row.samples = 1;
  for (const char* const thread : {"pool 12 3/4", "#comment", " led", "a", "", "Web Content", "end "}) {
    row.thread_name = profile.strings.intern(thread);
    row.user = profile.stack(std::vector{name.user(app, 0x10, "(anonymous namespace)::f(int)", "my lib (deleted)", 1)});
    profile.add(row);
  }
  const std::regex event(R"(\S(.*\S)?  [0-9]+/[0-9]+ [0-9]+\.[0-9]{9}: +[0-9]+ cpu-clock:)");
  const std::regex frame(R"(\t *[0-9a-f]+ [^(].* \(\S+\))");
  for (const std::string& line : lines_of(script(profile))) {
    CAPTURE(line);
    if (line.empty() || line.starts_with("# ") || line == "#") continue;
    CHECK((std::regex_match(line.substr(0, 300), event) || line.size() > 300 || std::regex_match(line, frame)));
    if (std::regex_match(line, event)) CHECK(line.substr(0, line.find("  ")).find(" 1") == std::string::npos);
  }
  const std::string text = script(profile);
  CHECK(text.find("\npool_12_3/4  9/9 ") != std::string::npos);
  CHECK(text.find("\n_comment  9/9 ") != std::string::npos);
  CHECK(text.find("\nWeb Content  9/9 ") != std::string::npos);
  CHECK(text.find("\n[unknown]  9/9 ") != std::string::npos);
  CHECK(text.find(" ::(anonymous namespace)::f(int)+0x1 (my_lib_(deleted))\n") != std::string::npos);
}

TEST_CASE("the stream of perf script text has the true time, the thread and the CPU of each sample") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId dd = profile.process(185, 0, "dd");
  Sample sample;
  sample.row.process = dd;
  sample.row.tid = 187;
  sample.row.thread_name = profile.strings.intern("dd-writer");
  sample.row.user = profile.stack(std::vector{name.user(dd, 0x555500001010, "main", "dd", 0x10)});
  sample.row.value = 1250;
  sample.unix_ns = 1'700'000'000'000'000'042;
  sample.cpu = 64;
  profile.run.event = "off-cpu";
  profile.run.unit = "microseconds";
  const auto stream = find_stream_form("perf-script")->make({});
  std::string text;
  stream->begin(text, profile.run);
  CHECK(text.find("unit = microseconds,") != std::string::npos);
  text.clear();
  stream->append(text, profile, sample);
  CHECK(text ==
        "dd-writer  185/187 [064] 1700000000.000000042:       1250 off-cpu:\n"
        "\t    555500001010 main+0x10 (dd)\n\n");
}
