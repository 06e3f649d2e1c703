// Tests the JSON of a profile, read back by a parser. It must be valid whatever names contain, and each figure must be
// where the schema says.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "fixed_measures.h"
#include "output/json_writer.h"
#include "output/output.h"

namespace {

using namespace profile;

std::string json_of(const Profile& profile, std::size_t top = 10) {
  std::ostringstream out;
  find_output_format("json")->make({.top = top}).report(out, profile);
  return out.str();
}

rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(text.c_str());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}

std::string member(const rapidjson::Value& object, const char* name) {
  return {object[name].GetString(), object[name].GetStringLength()};
}

}  // namespace

TEST_CASE("a JSON document has one newline, at its end") {
  for (const Profile& profile : {test::fixed_profile(), test::wall_profile(), test::measures_profile(), Profile()}) {
    const std::string text = json_of(profile);
    CHECK(text.find('\n') == text.size() - 1);
  }
}

TEST_CASE("names of any bytes become valid text in JSON, as in the other formats") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId process = profile.process(1, 0, "a\"b\\c\x1f");
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  const FrameId odd = name.user(process, 1, every, "\xff\"mod", 0);
  const FrameId script = name.user(process, 2, "</script>\xe2\x80\xa8;\xed\xa0\x80", "m", 0);
  profile.add({.process = process, .user = profile.stack(std::vector{odd, script}), .value = 1, .samples = 1});
  const auto document = parsed(json_of(profile));
  const auto& stacks = document["ebpf"]["profile"];
  CHECK(member(stacks["processes"][0], "name") == "a\"b\\c?");
  CHECK(member(stacks["modules"][0], "name") == "?\"mod");
  CHECK(member(stacks["frames"][0], "symbol").size() == 256);
  CHECK(member(stacks["frames"][1], "symbol") == "</script>?;???");
  CHECK(member(stacks["rows"][0], "thread") == "[unknown]");
}

TEST_CASE("a frame in JSON has a name or the reason for its absence") {
  std::set<std::string> reasons;
  Profile profile = test::fixed_profile();
  test::Namer name(profile);
  const ProcessId process = profile.process(1, 0, "x");
  std::vector<FrameId> frames;
  for (std::uint8_t i = 1; i < static_cast<std::uint8_t>(Unnamed::count); ++i) {
    const FrameId frame = profile.frame(process, FrameKind::user, {0x9000ULL + i});
    frames.push_back(name.unnamed(frame, static_cast<Unnamed>(i), "x", i));
  }
  profile.add({.process = process, .user = profile.stack(frames), .value = 1});
  const auto document = parsed(json_of(profile));
  for (const auto& frame : document["ebpf"]["profile"]["frames"].GetArray()) {
    CHECK(frame.HasMember("symbol") != frame.HasMember("unnamed"));
    if (frame.HasMember("unnamed")) reasons.insert(member(frame, "unnamed"));
  }
  CHECK(reasons.size() == static_cast<std::size_t>(Unnamed::count) - 1);
  CHECK(reasons.contains("no_symbol"));
  CHECK(reasons.contains("kernel_hidden"));
}

TEST_CASE("JSON keeps 64-bit numbers exactly") {
  Profile profile;
  test::Namer name(profile);
  const FrameId frame = name.kernel(UINT64_MAX, "top", "kernel", UINT64_MAX - 1);
  profile.add({.process = profile.process(UINT32_MAX, 0, "x"),
               .kernel = profile.stack(std::vector{frame}),
               .value = UINT64_MAX,
               .samples = (std::uint64_t{1} << 53) + 1});
  const auto document = parsed(json_of(profile));
  const auto& stacks = document["ebpf"]["profile"];
  CHECK(stacks["rows"][0]["value"].GetUint64() == UINT64_MAX);
  CHECK(stacks["rows"][0]["samples"].GetUint64() == 9007199254740993);
  CHECK(stacks["frames"][0]["offset"].GetUint64() == UINT64_MAX - 1);
  CHECK(member(stacks["frames"][0], "address") == "0xffffffffffffffff");
}

TEST_CASE("an unknown offset is left out") {
  Profile profile;
  test::Namer name(profile);
  const FrameId frame = name.kernel(0x1000, "top", "kernel", unknown_offset);
  profile.add(
      {.process = profile.process(1, 0, "x"), .kernel = profile.stack(std::vector{frame}), .value = 1, .samples = 1});
  const auto document = parsed(json_of(profile));
  CHECK_FALSE(document["ebpf"]["profile"]["frames"][0].HasMember("offset"));
}

TEST_CASE("a number that JSON cannot express becomes zero") {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_array();
  json.value(std::numeric_limits<double>::quiet_NaN());
  json.value(std::numeric_limits<double>::infinity());
  json.value(0.1);
  json.end_array();
  json.end_document();
  CHECK(out.str() == "[0.0,0.0,0.1]\n");
}

TEST_CASE("each document of a long run is complete, even if it is larger than one write") {
  std::ostringstream out;
  Profile profile;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    profile.add({.process = profile.process(i, 0, "a process"), .value = i, .samples = 1});
  }
  const auto format = find_output_format("json")->make({});
  format.report(out, profile);
  format.report(out, profile);
  std::istringstream in(out.str());
  int documents = 0;
  for (std::string line; std::getline(in, line); ++documents) {
    CHECK(line.size() > 200'000);
    CHECK(parsed(line)["ebpf"]["profile"]["total_value"].GetUint64() == profile.total());
  }
  CHECK(documents == 2);
}

TEST_CASE("the off-CPU JSON has totals over all threads, and one member for each thread id") {
  const auto document = parsed(json_of(test::waits_profile(), 2));
  const auto& offcpu = document["ebpf"]["offcpu"];
  CHECK(offcpu["total_time_ns"].GetUint64() == 3'620'072'006);
  CHECK(offcpu["total_events"].GetUint64() == 96);
  CHECK(offcpu["avg_time_ns"].GetUint64() == 3'620'072'006 / 96);
  CHECK(offcpu["max_time_ns"].GetUint64() == 50'000'000);
  CHECK(offcpu["min_time_ns"].GetUint64() == 999);
  REQUIRE(offcpu["thread_stats"].MemberCount() == 3);
  const auto& twice = offcpu["thread_stats"]["185:187"];
  CHECK(twice["count"].GetUint64() == 22);
  CHECK(twice["total_time_ns"].GetUint64() == 120'068'010);
  CHECK(twice["min_time_ns"].GetUint64() == 1'000);
  CHECK(member(twice, "name") == "we;<i>\"??");
  REQUIRE(offcpu["top_blocking_threads"].Size() == 2);
  CHECK(offcpu["top_blocking_threads"][0]["time_ms"].GetDouble() == 3500.0);
  CHECK(offcpu["top_blocking_threads"][0]["percentage"].GetDouble() == doctest::Approx(96.683).epsilon(1e-4));
  CHECK(offcpu["stack_traces"]["total_value"].GetUint64() == 3'500'000);
  CHECK_FALSE(document["ebpf"].HasMember("profile"));
}

TEST_CASE("the off-CPU JSON has kernel threads in the totals but not in the list of the longest waits") {
  Profile profile = test::waits_profile();
  std::vector<ThreadWait>& waits = *profile.thread_waits;
  const std::uint64_t left_ns = 3'620'072'006 - waits[0].waits.total_ns;
  const auto second = static_cast<double>(waits[1].waits.total_ns);
  waits[0].is_kernel_thread = true;
  const auto document = parsed(json_of(profile));
  const auto& offcpu = document["ebpf"]["offcpu"];
  CHECK(offcpu["total_time_ns"].GetUint64() == 3'620'072'006);
  CHECK(offcpu["thread_stats"].MemberCount() == 3);
  REQUIRE(offcpu["top_blocking_threads"].Size() == 3);
  CHECK(offcpu["top_blocking_threads"][0]["percentage"].GetDouble() ==
        doctest::Approx(100 * second / static_cast<double>(left_ns)));
}

TEST_CASE("the system call JSON of one category has no shares of all calls") {
  Profile profile = test::measures_profile();
  profile.syscalls->is_partial = true;
  const auto document = parsed(json_of(profile));
  const auto& analysis = document["ebpf"]["syscalls"]["analysis"];
  CHECK(member(analysis, "behavior") == "unknown");
  CHECK(analysis.HasMember("cpu_intensity"));
  for (const char* name : {"io_intensity", "memory_intensity", "network_intensity"})
    CHECK_FALSE(analysis.HasMember(name));
}

TEST_CASE("the wall JSON has the waits as stack traces and everything as the profile") {
  const auto document = parsed(json_of(test::wall_profile()));
  const auto& ebpf = document["ebpf"];
  CHECK(ebpf["offcpu"]["stack_traces"]["total_value"].GetUint64() == 3'700'000);
  CHECK(ebpf["offcpu"]["stack_traces"]["total_samples"].GetUint64() == 96);
  CHECK(ebpf["profile"]["total_value"].GetUint64() == 4'700'000);
  CHECK(ebpf["profile"]["rows"].Size() == 5);
  CHECK_FALSE(ebpf["profile"]["rows"][0].HasMember("tag"));
  CHECK(member(ebpf["profile"]["rows"][1], "tag") == "[off-cpu]");
  CHECK(member(ebpf["profile"]["rows"][2], "kernel") == "missed");
  CHECK_FALSE(ebpf["profile"]["rows"][4].HasMember("user"));
}

TEST_CASE("the member top_syscalls adds up over processes, and the member calls keeps processes apart") {
  const auto document = parsed(json_of(test::measures_profile(), 2));
  const auto& syscalls = document["ebpf"]["syscalls"];
  CHECK(syscalls["total"].GetUint64() == 2006);
  CHECK(syscalls["by_category"].MemberCount() == syscall_categories);
  CHECK(syscalls["by_category"]["file_io"].GetUint64() == 2002);
  REQUIRE(syscalls["top_syscalls"].Size() == 2);
  CHECK(member(syscalls["top_syscalls"][0], "name") == "read");
  CHECK(syscalls["top_syscalls"][0]["count"].GetUint64() == 1902);
  CHECK(syscalls["analysis"]["syscall_rate_per_sec"].GetDouble() == doctest::Approx(401.2));
  CHECK(member(syscalls["analysis"], "behavior") == "io_bound");
  REQUIRE(syscalls["calls"].Size() == 5);
  const auto& openat = syscalls["calls"][1];
  CHECK(openat["failed"].GetUint64() == 12);
  CHECK(member(openat["errors"][0], "name") == "ENOENT");
  CHECK(openat["latency"]["count"].GetUint64() == 100);
  CHECK(openat["latency"]["histogram"][0]["from_ns"].GetUint64() == 2048);
  CHECK(openat["latency"]["histogram"][0]["to_ns"].GetUint64() == 4095);
  CHECK(openat["latency"]["histogram"][0]["count"].GetUint64() == 90);
  CHECK_FALSE(syscalls["calls"][4]["latency"].HasMember("histogram"));
}

TEST_CASE("JSON has every table of durations, even an empty one") {
  const auto document = parsed(json_of(test::measures_profile(), 1));
  const auto& tables = document["ebpf"]["durations"];
  REQUIRE(tables.Size() == 3);
  CHECK(member(tables[0], "id") == "block_requests");
  CHECK(tables[0]["rows"][0]["bytes"].GetUint64() == 212'992);
  CHECK(tables[1]["rows"].Size() == 5);
  CHECK_FALSE(tables[1]["rows"][0].HasMember("bytes"));
  CHECK(tables[2]["rows"].Empty());
}

TEST_CASE("every JSON document has the requested targets and the account of all samples") {
  Profile profile = test::wall_profile();
  profile.run.command = {"make", "-j2"};
  profile.run.cpus = "0,2-3";
  profile.run.names = {"make", "cc*"};
  const auto document = parsed(json_of(profile));
  const auto& run = document["profile"];
  CHECK(member(run, "event") == "wall");
  CHECK(member(run, "unit") == "microseconds");
  CHECK(run["duration_s"].GetDouble() == 5.0);
  CHECK(run["targets"]["pids"][0].GetUint() == 185);
  CHECK(run["targets"]["command"].Size() == 2);
  CHECK(member(run["targets"], "cpus") == "0,2-3");
  CHECK(run["targets"]["names"].Size() == 2);
  CHECK_FALSE(run.HasMember("period_events"));
  CHECK(document["account"]["taken"].GetUint64() == 150);
  CHECK(document["account"]["filtered"].GetUint64() == 4);
  CHECK(document["account"]["balanced"].GetBool());
  CHECK_FALSE(document["account"].HasMember("asked"));
  profile.account.taken = 151;
  profile.account.asked = 200;
  const auto other = parsed(json_of(profile));
  CHECK_FALSE(other["account"]["balanced"].GetBool());
  CHECK(other["account"]["asked"].GetUint64() == 200);
}
