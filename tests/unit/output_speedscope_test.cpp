// speedscope's format, read back by a parser: that it has the shape which its schema asks for, the totals of the other
// formats, and an order in which its first view looks like a flame graph.
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

std::string written(const Profile& profile, std::size_t top = 10) {
  std::ostringstream out;
  find_output_format("speedscope")->make({.top = top})->report(out, profile);
  return out.str();
}

std::string member(const rapidjson::Value& object, const char* name) {
  return {object[name].GetString(), object[name].GetStringLength()};
}

// Checks what holds for every file.
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

// How often a new box has to be begun at `depth` when the samples are drawn side by side.
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

TEST_CASE("the fixed profiles are what the golden files say") {
  const auto check = [](const Profile& profile, const std::string& file) {
    std::ifstream in(PROFILE_TEST_DATA "/" + file, std::ios::binary);
    REQUIRE_MESSAGE(in.good(), file);
    CHECK_MESSAGE(written(profile) == std::string(std::istreambuf_iterator<char>(in), {}), file);
  };
  check(test::fixed_profile(), "default.speedscope");
  check(test::profile_with_lines(), "lines.speedscope");
  check(test::wall_profile(), "wall.speedscope");
}

TEST_CASE("the first profile has everything, and the processes behind it add up to it") {
  const auto document = parsed(written(test::fixed_profile()));
  const auto& profiles = document["profiles"];
  REQUIRE(profiles.Size() == 5);
  CHECK(profiles[0]["endValue"].GetUint64() == 92);
  CHECK(member(profiles[1], "name") == "dd (185)");
  CHECK(profiles[1]["endValue"].GetUint64() == 39);
  std::uint64_t sum = 0;
  for (rapidjson::SizeType i = 1; i < profiles.Size(); ++i) sum += profiles[i]["endValue"].GetUint64();
  CHECK(sum == 92);
  for (const auto& sample : profiles[1]["samples"].GetArray()) {
    const std::string thread = frames_of(document, sample)[0];
    CHECK((thread == "dd" || thread == "dd-writer"));
  }
  CHECK(parsed(written(test::fixed_profile(), 2))["profiles"].Size() == 3);
  CHECK(parsed(written(test::wall_profile()))["profiles"].Size() == 1);
}

TEST_CASE("units are speedscope's words, or none") {
  Profile profile = test::wall_profile();
  const auto unit = [&] { return member(parsed(written(profile))["profiles"][0], "unit"); };
  CHECK(unit() == "microseconds");
  CHECK(parsed(written(profile))["profiles"][0]["endValue"].GetUint64() == 4'700'000);
  profile.run.unit = "bytes";
  CHECK(unit() == "bytes");
  for (const char* const other : {"samples", "page-faults", "hits", "seconds\xff"}) {
    profile.run.unit = other;
    CHECK(unit() == "none");
  }
}

TEST_CASE("a stack goes from the process to the tag, through what was missed") {
  const auto document = parsed(written(test::wall_profile()));
  std::set<Frames> stacks;
  for (const auto& sample : document["profiles"][0]["samples"].GetArray()) stacks.insert(frames_of(document, sample));
  CHECK(stacks == std::set<Frames>{
                      {"dd (185)", "[off-cpu]"},
                      {"dd (185)", "main", "read", "vfs_read"},
                      {"dd (185)", "main", "read", "vfs_read", "[off-cpu]"},
                      {"dd (185)", "main", "read", "[Missed Kernel Stack]", "[off-cpu]"},
                      {"dd (185)", "main", "read",
                       "we;ird?"
                       "?</script>"},
                  });
}

TEST_CASE("a frame has its source, or what it lies in where that is not known") {
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

TEST_CASE("stacks that begin alike stand together, so each box is begun once") {
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

TEST_CASE("what reads the same is one sample, whatever addresses and processes it came from") {
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
  CHECK(document["profiles"][0]["weights"][0].GetUint64() == 20);
}

TEST_CASE("a profile without anything is one that can be read") {
  const auto document = parsed(written(Profile()));
  REQUIRE(document["profiles"].Size() == 1);
  CHECK(document["profiles"][0]["samples"].Empty());
}
