// Tests the reader of V8's .cpuprofile.
#include <doctest/doctest.h>

#include <optional>
#include <sstream>
#include <string>

#include "input/profile_reader.h"
#include "output/output.h"
#include "support/error.h"

using namespace profile;

namespace {

std::string node(int id, const std::string& name, const std::string& callees, const std::string& url = "",
                 int line = -1) {
  return "{\"id\":" + std::to_string(id) + R"(,"callFrame":{"functionName":")" + name + R"(","scriptId":"1","url":")" +
         url + R"(","lineNumber":)" + std::to_string(line) + R"(,"columnNumber":3},"hitCount":1,"children":[)" +
         callees + "]}";
}

// Time per sample in microseconds: work 3, idle 4, anonymous 5, work 0 (the time goes back), main 7 up to the end.
std::string file(const std::string& samples = "3,4,5,3,2", const std::string& deltas = "10,3,4,5,-2") {
  return R"({"nodes":[)" + node(1, "(root)", "2,4") + "," + node(2, "main", "3,5", "file:///srv/main.js", 0) + "," +
         node(3, "work", "", "file:///srv/work.js", 41) + "," + node(4, "(idle)", "") + "," + node(5, "", "") +
         R"(],"startTime":1000,"endTime":1029,"samples":[)" + samples + R"(],"timeDeltas":[)" + deltas + "]}";
}

ReadRequest between(std::optional<double> from_s, std::optional<double> to_s) {
  ReadRequest request;
  request.from_s = from_s;
  request.to_s = to_s;
  return request;
}

std::string refusal(const std::string& text) {
  try {
    (void)read_profile(text, "in");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("each sample of V8 stands for the time until the next one") {
  const Profile read = read_profile(file(), "in");
  std::ostringstream out;
  find_output_format("folded")->make({}).report(out, read);
  CHECK(out.str() ==
        "[unknown];main main.js:1;work work.js:42 3000\n[unknown];main main.js:1;(anonymous) 5000\n"
        "[unknown];main main.js:1 7000\n");
  CHECK(read.run.unit.word() == "nanoseconds");
  CHECK(read.account.is_known);
  CHECK(read.account.taken == 5);
  CHECK(read.account.idle == 1);
  CHECK(read.account.balanced());
  std::uint64_t samples = 0;
  for (const Row& row : read.rows()) samples += row.samples;
  CHECK(samples == 4);
}

TEST_CASE("a part of the time of a profile of V8 can be read") {
  CHECK(read_profile(file(), "in", nullptr, between({}, 2e-6)).total() == 2000);
  CHECK(read_profile(file(), "in", nullptr, between(2e-6, 8e-6)).total() == 2000);
}

TEST_CASE("contradictory profiles of V8 and other files of V8 are refused") {
  CHECK(refusal(file("3", "1,2")).find("not as many times as samples") != std::string::npos);
  CHECK(refusal(file("9", "1")).find("node 9") != std::string::npos);
  const std::string end = R"(],"startTime":0,"endTime":9,"samples":[1],"timeDeltas":[1]})";
  CHECK(refusal(R"({"nodes":[)" + node(1, "a", "2") + "," + node(2, "b", "1") + end).find("more than can be kept") !=
        std::string::npos);
  CHECK(refusal(R"({"nodes":[)" + node(1, "a", "1") + end).find("two callers") != std::string::npos);
  CHECK(refusal(R"({"nodes":[)" + node(1, "a", "") + "," + node(1, "b", "") + end).find("same id") !=
        std::string::npos);
  CHECK(refusal(R"({"nodes":[{"name":"x"}],"links":[]})").find("no samples") != std::string::npos);
  CHECK(refusal(R"({"snapshot":{},"nodes":[1]})").find("heap snapshot") != std::string::npos);
  CHECK(refusal(R"({"traceEvents":[]})").find("speedscope.app") != std::string::npos);
  CHECK(refusal(R"([{"name":"x","ph":"X"}])").find("Chrome's trace") != std::string::npos);
  CHECK(refusal(std::string("FLR\0\0\2", 6)).find("jfrconv") != std::string::npos);
}

TEST_CASE("a small profile of V8 that stands for endless stacks is refused") {
  std::string text = R"({"nodes":[)";
  std::string samples;
  std::string deltas;
  for (int i = 1; i <= 20000; ++i) {
    text += R"({"id":)" + std::to_string(i) + R"(,"children":[)" + (i < 20000 ? std::to_string(i + 1) : "") + "]},";
    samples += std::to_string(i) + ",";
    deltas += "1,";
  }
  text.back() = ']';
  samples.back() = deltas.back() = ']';
  CHECK(
      refusal(text + R"(,"samples":[)" + samples + R"(,"timeDeltas":[)" + deltas + "}").find("more than can be kept") !=
      std::string::npos);
}
