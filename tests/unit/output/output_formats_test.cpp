// Tests the table of formats and how a format is chosen.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "output/output.h"
#include "output/timed.h"

using namespace profile;

TEST_CASE("the default format is counted") {
  REQUIRE(!output_formats().empty());
  CHECK(output_formats().front().name == "counted");
}

TEST_CASE("every format has a unique name, a unique ending, a summary and a maker") {
  std::set<std::string_view> names;
  std::set<std::string_view> endings;
  for (const OutputFormat& format : output_formats()) {
    CAPTURE(format.name);
    CHECK(names.insert(format.name).second);
    CHECK((format.ending.empty() || endings.insert(format.ending).second));
    CHECK((format.ending.empty() || format.ending.front() == '.'));
    CHECK_FALSE(format.summary.empty());
    if (needs_times(format)) {
      REQUIRE((format.make_timed != nullptr));
    } else {
      CHECK((format.make({}).report != nullptr));
    }
    CHECK((format.make_timed == nullptr || format.make_timed({}) != nullptr));
    CHECK(find_output_format(format.name) == &format);
  }
}

TEST_CASE("a format is found by its whole name only") {
  REQUIRE(find_output_format("folded") != nullptr);
  CHECK(find_output_format("fold") == nullptr);
  CHECK(find_output_format("Folded") == nullptr);
  CHECK(find_output_format("") == nullptr);
}

TEST_CASE("a path's ending chooses the format") {
  const auto chosen = [](std::string_view path) {
    const OutputFormat* const format = output_format_of_path(path);
    return format == nullptr ? std::string_view("none") : format->name;
  };
  CHECK(chosen("/tmp/a.folded") == "folded");
  CHECK(chosen("report.2.txt") == "counted");
  CHECK(chosen("x.residency") == "residency");
  CHECK(chosen("x.json") == "json");
  CHECK(chosen("x.table") == "table");
  CHECK(chosen("x.folded.bak") == "none");
  CHECK(chosen("folded") == "none");
  CHECK(chosen("x.FOLDED") == "folded");
  CHECK(chosen("x.PB.GZ") == "pprof");
  CHECK(chosen("cpu.pprof") == "pprof");
  CHECK(chosen("cpu.htm") == "html");
  CHECK(chosen("cpu.firefox.json.gz") == "firefox");
  CHECK(chosen("cpu.pftrace") == "perfetto");
  CHECK(chosen("cpu.collapsed") == "folded");
  CHECK(chosen("pprof") == "none");
  CHECK(chosen("") == "none");
}
