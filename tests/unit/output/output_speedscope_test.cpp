// Tests speedscope's format, read back by a parser: the shape of its schema, and the totals of the other formats.
// The order of samples must be useful in speedscope's first view, although it is no timeline.
#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/output.h"

namespace {

using namespace profile;
using Frames = std::vector<std::string>;

std::string written(const Profile& profile) {
  std::ostringstream out;
  find_output_format("speedscope")->make({}).report(out, profile);
  return out.str();
}

std::string member(const rapidjson::Value& object, const char* name) {
  return {object[name].GetString(), object[name].GetStringLength()};
}

// Checks the rules for all files.
rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(text.c_str());
  REQUIRE_FALSE(document.HasParseError());
  CHECK(member(document, "$schema") == "https://www.speedscope.app/file-format-schema.json");
  const auto& frames = document["shared"]["frames"];
  std::set<std::string> distinct;
  for (const auto& frame : frames.GetArray()) {
    CHECK(frame["name"].GetStringLength() != 0);
    const std::string file = frame.HasMember("file") ? member(frame, "file") : "";
    const std::string line = frame.HasMember("line") ? std::to_string(frame["line"].GetUint()) : "";
    CHECK(distinct.insert(member(frame, "name") + '\n' + file + '\n' + line).second);
  }
  for (const auto& profile : document["profiles"].GetArray()) {
    CHECK(member(profile, "type") == "sampled");
    REQUIRE(profile["samples"].Size() == profile["weights"].Size());
    std::uint64_t sum = 0;
    for (const auto& weight : profile["weights"].GetArray()) sum += weight.GetUint64();
    CHECK(profile["startValue"].GetUint64() == 0);
    CHECK(profile["endValue"].GetUint64() == sum);
    std::set<std::vector<unsigned>> stacks;
    for (const auto& sample : profile["samples"].GetArray()) {
      std::vector<unsigned> stack;
      for (const auto& frame : sample.GetArray()) {
        REQUIRE(frame.GetUint() < frames.Size());
        stack.push_back(frame.GetUint());
      }
      CHECK_FALSE(stack.empty());
      CHECK_MESSAGE(stacks.insert(stack).second, "a stack stands twice");
    }
  }
  return document;
}

Frames frames_of(const rapidjson::Document& document, const rapidjson::Value& sample) {
  Frames frames;
  for (const auto& number : sample.GetArray()) {
    frames.push_back(member(document["shared"]["frames"][number.GetUint()], "name"));
  }
  return frames;
}

// How many boxes begin at `depth` when the samples are drawn side by side.
std::size_t boxes_at(const rapidjson::Value& samples, std::size_t depth) {
  std::size_t boxes = 0;
  std::vector<unsigned> open;
  for (const auto& sample : samples.GetArray()) {
    std::vector<unsigned> beginning;
    for (const auto& frame : sample.GetArray()) beginning.push_back(frame.GetUint());
    if (beginning.size() <= depth) {
      open.clear();
      continue;
    }
    beginning.resize(depth + 1);
    if (beginning != open) ++boxes;
    open = beginning;
  }
  return boxes;
}

}  // namespace

TEST_CASE("the speedscope files of the fixed profiles equal the golden files") {
  const auto check = [](const Profile& profile, const std::string& file) {
    std::ifstream in(PROFILE_TEST_DATA "/" + file, std::ios::binary);
    REQUIRE_MESSAGE(in.good(), file);
    CHECK_MESSAGE(written(profile) == std::string(std::istreambuf_iterator<char>(in), {}), file);
  };
  check(test::fixed_profile(), "default.speedscope");
  check(test::profile_with_lines(), "lines.speedscope");
  check(test::wall_profile(), "wall.speedscope");
}

TEST_CASE("each process is one speedscope profile, the heaviest first, followed by all together") {
  const auto document = parsed(written(test::fixed_profile()));
  const auto& profiles = document["profiles"];
  constexpr std::uint64_t period = 20'408'163;  // nanoseconds, at 49 Hertz
  REQUIRE(profiles.Size() == 5);
  CHECK(member(profiles[0], "name") == "dd (185), aggregated");
  CHECK(profiles[0]["endValue"].GetUint64() == 39 * period);
  CHECK(member(profiles[4], "name") == "all processes, aggregated");
  CHECK(profiles[4]["endValue"].GetUint64() == 92 * period);
  std::uint64_t sum = 0;
  for (rapidjson::SizeType i = 0; i < 4; ++i) {
    const std::uint64_t value = profiles[i]["endValue"].GetUint64();
    sum += value;
    if (i != 0) CHECK(value <= profiles[i - 1]["endValue"].GetUint64());
  }
  CHECK(sum == 92 * period);
  for (const auto& sample : profiles[0]["samples"].GetArray()) {
    const std::string thread = frames_of(document, sample)[0];
    CHECK((thread == "dd" || thread == "dd-writer"));
  }
  CHECK(parsed(written(test::wall_profile()))["profiles"].Size() == 1);
}

TEST_CASE("each separate thread is one speedscope profile") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId process = profile.process(7, 0, "x");
  const StackId stack = profile.stack(std::vector{name.user(process, 0x10, "f", "x", 0)});
  for (const std::uint32_t tid : {7U, 8U}) {
    profile.add({.process = process,
                 .tid = tid,
                 .thread_name = profile.strings.intern("worker"),
                 .user = stack,
                 .value = tid,
                 .samples = tid});
  }
  const auto document = parsed(written(profile));
  REQUIRE(document["profiles"].Size() == 3);
  CHECK(member(document["profiles"][0], "name").starts_with("x (7), worker (8)"));
  CHECK(member(document["profiles"][1], "name").starts_with("x (7), worker (7)"));
}

TEST_CASE("each separate CPU of a process is one speedscope profile") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId process = profile.process(7, 0, "x");
  const StackId stack = profile.stack(std::vector{name.user(process, 0x10, "f", "x", 0)});
  for (const std::uint32_t cpu : {0U, 1U}) {
    profile.add({.process = process, .cpu = cpu, .user = stack, .value = 2 - cpu, .samples = 1});
  }
  const auto document = parsed(written(profile));
  REQUIRE(document["profiles"].Size() == 3);
  CHECK(member(document["profiles"][0], "name") == "x (7), CPU 0, aggregated");
  CHECK(member(document["profiles"][1], "name") == "x (7), CPU 1, aggregated");
}

TEST_CASE("units use the words of speedscope, and an unknown unit is in the profile's name") {
  Profile profile = test::wall_profile();
  const auto first = [&](const char* what) { return member(parsed(written(profile))["profiles"][0], what); };
  CHECK(first("unit") == "microseconds");
  CHECK(parsed(written(profile))["profiles"][0]["endValue"].GetUint64() == 4'700'000);
  profile.run.unit = "bytes";
  CHECK(first("unit") == "bytes");
  profile.run.unit = "samples";
  profile.run.frequency_hz = 1000;
  CHECK(first("unit") == "nanoseconds");
  CHECK(parsed(written(profile))["profiles"][0]["endValue"].GetUint64() == 4'700'000'000'000);
  profile.run.frequency_hz = 0;
  profile.run.period_events = 1ULL << 60;  // the sum does not fit into 64 bits
  CHECK(first("unit") == "none");
  CHECK(first("name") == "dd (185), dd (186), samples, aggregated");
  for (const char* const other : {"page-faults", "hits", "seconds\xff"}) {
    profile.run.unit = other;
    CHECK(first("unit") == "none");
  }
  CHECK(first("name") == "dd (185), dd (186), seconds?, aggregated");
}

TEST_CASE("heavier stacks are further left, whatever their names are") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId process = profile.process(1, 0, "x");
  const auto add = [&](const std::string& root_first, std::uint64_t value) {
    std::vector<FrameId> frames;
    for (auto function = root_first.rbegin(); function != root_first.rend(); ++function) {
      frames.push_back(name.user(process, static_cast<std::uint64_t>(*function), std::string(1, *function), "x", 0));
    }
    profile.add({.process = process, .user = profile.stack(frames), .value = value, .samples = value});
  };
  // b has more weight than any other frame, but none of its stacks is the heaviest.
  add("ma", 40);
  add("mbz", 30);
  add("mby", 35);
  add("m", 5);
  add("mb", 1);
  const auto document = parsed(written(profile));
  std::vector<std::string> order;
  for (const auto& sample : document["profiles"][0]["samples"].GetArray()) {
    std::string stack;
    for (const std::string& frame : frames_of(document, sample)) stack += frame.size() == 1 ? frame : "";
    order.push_back(stack);
  }
  CHECK(order == std::vector<std::string>{"mby", "mbz", "mb", "ma", "m"});
}

TEST_CASE("a speedscope stack goes from the process to the tag, with missed stacks in between") {
  const auto document = parsed(written(test::wall_profile()));
  std::set<Frames> stacks;
  for (const auto& sample : document["profiles"][0]["samples"].GetArray()) stacks.insert(frames_of(document, sample));
  CHECK(stacks == std::set<Frames>{
                      {"dd", "[off-cpu]"},
                      {"dd", "main", "read", "vfs_read"},
                      {"dd", "main", "read", "vfs_read", "[off-cpu]"},
                      {"dd", "main", "read", "[Missed Kernel Stack]", "[off-cpu]"},
                      {"dd", "main", "read",
                       "we;ird?"
                       "?</script>"},
                  });
}

TEST_CASE("a speedscope frame has its source file, or else its module") {
  const auto document = parsed(written(test::profile_with_lines()));
  const auto& frames = document["shared"]["frames"];
  const auto named = [&](const std::string& name) -> const rapidjson::Value& {
    for (const auto& frame : frames.GetArray()) {
      if (member(frame, "name") == name) return frame;
    }
    FAIL(name);
    return frames[0];
  };
  CHECK(member(named("main"), "file") == "/src/app/main.cpp");
  CHECK(named("main")["line"].GetUint() == 42);
  CHECK(member(named("deep(int)"), "file") == "/src/app/deep.h");
  CHECK(member(named("vfs_read"), "file") == "[kernel]");
  CHECK_FALSE(named("vfs_read").HasMember("line"));
  CHECK(member(named("__libc_start_call_main"), "file") == "libc.so.6");
  CHECK(member(named("[app+0x1300]"), "file") == "/src/we;ird? name.c");
}

TEST_CASE("stacks with the same beginning are neighbours, so each box begins once") {
  Profile profile;
  test::Namer name(profile);
  const ProcessId process = profile.process(1, 0, "x");
  const auto user = [&](char function) {
    return name.user(process, static_cast<std::uint64_t>(function), std::string(1, function), "x", 0);
  };
  const FrameId kernel = name.kernel(0xffffffff81000000, "k", "kernel", 0);
  const auto add = [&](const std::string& root_first, bool in_kernel) {
    std::vector<FrameId> frames;
    for (auto function = root_first.rbegin(); function != root_first.rend(); ++function) {
      frames.push_back(user(*function));
    }
    profile.add({.process = process,
                 .user = profile.stack(frames),
                 .kernel = in_kernel ? profile.stack(std::vector{kernel}) : StackId::none,
                 .value = 1,
                 .samples = 1});
  };
  for (const bool in_kernel : {false, true}) {
    for (const char* const stack : {"mab", "mca", "ma", "m", "mabd", "mcb", "nb", "mabe"}) add(stack, in_kernel);
  }
  const auto document = parsed(written(profile));
  const auto& samples = document["profiles"][0]["samples"];
  CHECK(samples.Size() == 16);
  CHECK(boxes_at(samples, 0) == 1);  // x (1)
  CHECK(boxes_at(samples, 1) == 2);  // m, n
  CHECK(boxes_at(samples, 2) == 4);  // ma, mc, m to k, nb
}

TEST_CASE("equal stacks are one sample, for all addresses and processes") {
  Profile profile;
  test::Namer name(profile);
  for (const std::uint32_t image : {0U, 1U}) {
    const ProcessId process = profile.process(7, image, "x");
    for (const std::uint64_t address : {0x10U, 0x20U}) {
      const FrameId frame = name.user(process, address, "f\x01", "x", 0);
      profile.add({.process = process, .user = profile.stack(std::vector{frame}), .value = 5, .samples = 1});
    }
  }
  const auto document = parsed(written(profile));
  REQUIRE(document["profiles"].Size() == 1);
  CHECK(document["profiles"][0]["samples"].Size() == 1);
  CHECK(document["profiles"][0]["weights"][0].GetUint64() == 20 * 20'408'163ULL);
}

TEST_CASE("a speedscope file of an empty profile can be read") {
  const auto document = parsed(written(Profile()));
  REQUIRE(document["profiles"].Size() == 1);
  CHECK(document["profiles"][0]["samples"].Empty());
}
