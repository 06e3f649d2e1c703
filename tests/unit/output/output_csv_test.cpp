// Tests the tables as CSV: each cell stays one cell, whatever its name contains.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "output/output.h"

namespace {

using namespace profile;

std::string csv(const Profile& profile) {
  std::ostringstream out;
  find_output_format("csv")->make({.top = 1}).report(out, profile);
  return out.str();
}

// Splits CSV into rows and cells by RFC 4180.
std::vector<std::vector<std::string>> cells_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      if (is_quoted && i + 1 < text.size() && text[i + 1] == '"') {
        rows.back().back() += text[++i];
      } else {
        is_quoted = !is_quoted;
      }
    } else if (!is_quoted && text[i] == ',') {
      rows.back().emplace_back();
    } else if (!is_quoted && text.compare(i, 2, "\r\n") == 0) {
      rows.emplace_back(1);
      ++i;
    } else {
      rows.back().back() += text[i];
    }
  }
  rows.pop_back();
  return rows;
}

}  // namespace

TEST_CASE("the CSV of a profile with stacks lists every function with its own value and its total") {
  const Profile profile = test::fixed_profile();
  const auto rows = cells_of(csv(profile));
  CHECK(rows[0] == std::vector<std::string>{"function", "module", "self", "total", "unit"});
  std::uint64_t selves = 0;
  bool has_script = false;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    REQUIRE(rows[i].size() == 5);
    selves += std::stoull(rows[i][2]);
    CHECK(rows[i][4] == "samples");
    has_script = has_script || rows[i][0] == "<script>\"it's\" & x</script>";
  }
  CHECK(selves == profile.total());
  CHECK(has_script);
}

TEST_CASE("the CSV of other measurements has one table each with all rows, separated by an empty line") {
  const auto rows = cells_of(csv(test::wall_profile()));
  CHECK(rows[0] == std::vector<std::string>{"pid", "tid", "name", "blocked_ns", "waits", "longest_ns"});
  CHECK(rows.size() == 5);
  CHECK(rows[1] == std::vector<std::string>{"185", "186", "dd", "3500000000", "70", "50000000"});
  const std::string measures = csv(test::measures_profile());
  CHECK(measures.find("\r\n\r\n") != std::string::npos);
  CHECK(measures.find("syscall,category,") != std::string::npos);
}

TEST_CASE("the CSV of failures names the program that most of each are of") {
  Profile profile;
  SyscallReport report;
  report.has_failures = true;
  report.calls.push_back({.name = profile.strings.intern("openat"),
                          .category = SyscallCategory::file_io,
                          .count = 400,
                          .failed = 102,
                          .durations = {},
                          .errors = {{2, 100}, {13, 1}, {1, 1}}});
  const StringId cc1 = profile.strings.intern("cc1");
  report.calls.back().errors[0].programs = {{.name = cc1, .tgid = 0, .count = 98},
                                            {.name = cc1, .tgid = 185, .count = 2}};
  report.calls.back().errors[1].programs = {{.name = cc1, .tgid = 7, .count = 1}};
  profile.syscalls = report;
  CHECK(
      csv(profile).ends_with("\r\n\r\n"
                             "syscall,error,failed,most_by,most_by_pid,most_by_failed\r\n"
                             "openat,ENOENT,100,cc1,,98\r\n"
                             "openat,EACCES,1,cc1,7,1\r\n"
                             "openat,EPERM,1,,,0\r\n"));
  profile.syscalls->by_process = true;
  CHECK(csv(profile).find("most_by") == std::string::npos);
}

TEST_CASE("a name that a spreadsheet would read as a formula is written as text") {
  Profile profile;
  Row row;
  row.process = profile.process(1, 0, "x");
  test::Namer name(profile);
  row.user = profile.stack(std::vector{name.user(row.process, 0x10, "=HYPERLINK(\"x\",\"y\")", "-lib", 0)});
  row.value = row.samples = 1;
  profile.add(row);
  CHECK(csv(profile) ==
        "function,module,self,total,unit\r\n\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\",'-lib,1,1,samples\r\n");
  CHECK(csv(Profile()) == "function,module,self,total,unit\r\n");
}
