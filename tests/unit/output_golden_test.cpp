// Compares each format, with each option that changes it, with a golden file.
// Golden files are written by hand from the description of the formats, and a difference is shown line by line.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "golden_file.h"
#include "output/output.h"

namespace {

using namespace profile;

std::string report(std::string_view format, const OutputOptions& options, const Profile& profile) {
  const OutputFormat* const found = find_output_format(format);
  REQUIRE(found != nullptr);
  std::ostringstream out;
  found->make(options)->report(out, profile);
  return out.str();
}

void check_golden(std::string_view format, const OutputOptions& options, const std::string& file,
                  const Profile& profile = test::fixed_profile()) {
  test::check_golden(file, report(format, options, profile));
}

}  // namespace

TEST_CASE("counted prints kernel before user, leaf first, and the hottest last") {
  check_golden("counted", {}, "default.txt");
}

TEST_CASE("counted with -d puts a delimiter where both parts were taken, and nowhere else") {
  check_golden("counted", {.delimited = true}, "delimited.txt");
}

TEST_CASE("counted with -A puts addresses in front, so stacks at other addresses stay apart") {
  check_golden("counted", {.show_addresses = true}, "addresses.txt");
}

TEST_CASE("counted takes no notice of -a") { check_golden("counted", {.annotate = true}, "default.txt"); }

TEST_CASE("folded prints root first and merges the lines that read the same") {
  check_golden("folded", {}, "default.folded");
}

TEST_CASE("folded with -d puts a dash where both parts were taken") {
  check_golden("folded", {.delimited = true}, "delimited.folded");
}

TEST_CASE("folded with -a marks kernel frames, the unnamed ones too") {
  check_golden("folded", {.annotate = true}, "annotated.folded");
}

TEST_CASE("folded takes no notice of -A") { check_golden("folded", {.show_addresses = true}, "default.folded"); }

TEST_CASE("residency groups by process, the largest group and the largest share first") {
  check_golden("residency", {}, "default.residency");
  check_golden("residency", {.delimited = true, .annotate = true, .show_addresses = true}, "default.residency");
}

TEST_CASE(
    "folded and residency with --modules say what holds each named frame, so that two functions of one name are "
    "apart") {
  check_golden("folded", {.show_modules = true}, "modules.folded");
  check_golden("residency", {.show_modules = true}, "modules.residency");
}

TEST_CASE("counted takes no notice of --modules: it always names them") {
  check_golden("counted", {.show_modules = true}, "default.txt");
}

TEST_CASE("counted shows where in the source a frame stands, and inlined functions as frames of their own") {
  check_golden("counted", {}, "lines.txt", test::profile_with_lines());
}

TEST_CASE("counted with -A gives inlined frames the address they were inlined at") {
  check_golden("counted", {.delimited = true, .show_addresses = true}, "lines_addresses.txt",
               test::profile_with_lines());
}

TEST_CASE("folded puts inlined functions between their caller and what they call, each with its line") {
  check_golden("folded", {}, "lines.folded", test::profile_with_lines());
}

TEST_CASE("folded with -a and --modules marks inlined frames at the end, behind module and line") {
  check_golden("folded", {.annotate = true, .show_modules = true}, "lines_marked.folded", test::profile_with_lines());
}

TEST_CASE("residency shows lines as folded does, leaf first") {
  check_golden("residency", {}, "lines.residency", test::profile_with_lines());
}

TEST_CASE("a tag is one more frame at the leaf, and sets rows apart that are otherwise equal") {
  check_golden("counted", {}, "wall.txt", test::wall_profile());
  check_golden("folded", {}, "wall.folded", test::wall_profile());
  check_golden("residency", {}, "wall.residency", test::wall_profile());
}

TEST_CASE("a tag stands behind the kernel part, whatever else is asked for") {
  check_golden("folded", {.delimited = true, .annotate = true, .show_modules = true}, "wall_marked.folded",
               test::wall_profile());
}

TEST_CASE("tables stand behind the stacks in counted and alone in table") {
  check_golden("counted", {}, "measures.txt", test::measures_profile());
  check_golden("table", {}, "measures.txt", test::measures_profile());
  check_golden("table", {.top = 2}, "measures_top.table", test::measures_profile());
  check_golden("table", {.top = 2}, "wall_top.table", test::wall_profile());
}

TEST_CASE("table shows the functions of a profile that has nothing but stacks") {
  check_golden("table", {.top = 100}, "default.table");
  check_golden("table", {.show_modules = true, .top = 100}, "modules.table");
  check_golden("table", {.top = 3}, "lines_top.table", test::profile_with_lines());
}

TEST_CASE("json is one document on one line") {
  check_golden("json", {}, "default.json");
  check_golden("json", {}, "lines.json", test::profile_with_lines());
  check_golden("json", {}, "wall.json", test::wall_profile());
  check_golden("json", {.top = 2}, "waits_top.json", test::waits_profile());
  check_golden("json", {.top = 2}, "measures_top.json", test::measures_profile());
  check_golden("json", {}, "empty.json", Profile());
  check_golden("json", {}, "ends.json", test::profile_with_ends());
}

TEST_CASE("residency of a single process names no process") {
  Profile profile;
  test::add_hostile(profile);
  const std::string text = report("residency", {}, profile);
  CHECK(text.starts_with("Residency Stack trace\n52.2%     wrap<"));
  CHECK(text.find("(4242)") == std::string::npos);
}

TEST_CASE("residency of values that are all zero shows no share instead of nan") {
  Profile profile;
  profile.add(Row{.process = profile.process(1, 0, "init")});
  CHECK(report("residency", {}, profile) == "Residency Stack trace\n 0.0%     [No Stack];\n");
}

TEST_CASE("a profile without samples is an empty report") {
  CHECK(report("counted", {}, Profile()).empty());
  CHECK(report("folded", {}, Profile()).empty());
  CHECK(report("residency", {}, Profile()) == "Residency Stack trace\n");
  CHECK(report("table", {}, Profile()) == "Nothing was recorded.\n\n");
}
