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
  found->make(options).report(out, profile);
  return out.str();
}

void check_golden(std::string_view format, const OutputOptions& options, const std::string& file,
                  const Profile& profile = test::fixed_profile()) {
  test::check_golden(file, report(format, options, profile));
}

}  // namespace

TEST_CASE("the counted format prints kernel before user, leaf first, with the hottest stack last") {
  check_golden("counted", {}, "default.txt");
}

TEST_CASE("the counted format with -d puts a delimiter between two present parts, and nowhere else") {
  check_golden("counted", {.delimited = true}, "delimited.txt");
}

TEST_CASE("the counted format with -A prints addresses first and keeps stacks at other addresses apart") {
  check_golden("counted", {.show_addresses = true}, "addresses.txt");
}

TEST_CASE("the counted format ignores -a") { check_golden("counted", {.annotate = true}, "default.txt"); }

TEST_CASE("the folded format prints root first and merges equal lines") {
  check_golden("folded", {}, "default.folded");
}

TEST_CASE("the folded format with -d puts a dash between two present parts") {
  check_golden("folded", {.delimited = true}, "delimited.folded");
}

TEST_CASE("the folded format with -a marks kernel frames, with the unnamed ones") {
  check_golden("folded", {.annotate = true}, "annotated.folded");
}

TEST_CASE("the folded format ignores -A") { check_golden("folded", {.show_addresses = true}, "default.folded"); }

TEST_CASE("the residency format groups by process, with the largest group and the largest share first") {
  check_golden("residency", {}, "default.residency");
  check_golden("residency", {.delimited = true, .annotate = true, .show_addresses = true}, "default.residency");
}

TEST_CASE("the folded and residency formats with --modules print the module of each named frame") {
  check_golden("folded", {.show_modules = true}, "modules.folded");
  check_golden("residency", {.show_modules = true}, "modules.residency");
}

TEST_CASE("the counted format prints modules with and without --modules") {
  check_golden("counted", {.show_modules = true}, "default.txt");
}

TEST_CASE("the counted format shows source lines, and inlined functions as separate frames") {
  check_golden("counted", {}, "lines.txt", test::profile_with_lines());
}

TEST_CASE("the counted format with -A gives inlined frames the address of their code") {
  check_golden("counted", {.delimited = true, .show_addresses = true}, "lines_addresses.txt",
               test::profile_with_lines());
}

TEST_CASE("the folded format puts inlined functions between their caller and their callee, each with its line") {
  check_golden("folded", {}, "lines.folded", test::profile_with_lines());
}

TEST_CASE("the folded format with -a and --modules marks inlined frames after the module and the line") {
  check_golden("folded", {.annotate = true, .show_modules = true}, "lines_marked.folded", test::profile_with_lines());
}

TEST_CASE("the residency format shows source lines as the folded format does, leaf first") {
  check_golden("residency", {}, "lines.residency", test::profile_with_lines());
}

TEST_CASE("a tag is one more frame at the leaf, and separates rows that are otherwise equal") {
  check_golden("counted", {}, "wall.txt", test::wall_profile());
  check_golden("folded", {}, "wall.folded", test::wall_profile());
  check_golden("residency", {}, "wall.residency", test::wall_profile());
}

TEST_CASE("a tag follows the kernel part with all options") {
  check_golden("folded", {.delimited = true, .annotate = true, .show_modules = true}, "wall_marked.folded",
               test::wall_profile());
}

TEST_CASE("tables follow the stacks in the counted format, and are alone in the table format") {
  check_golden("counted", {}, "measures.txt", test::measures_profile());
  check_golden("table", {}, "measures.txt", test::measures_profile());
  check_golden("table", {.top = 2}, "measures_top.table", test::measures_profile());
  check_golden("table", {.top = 2}, "wall_top.table", test::wall_profile());
}

TEST_CASE("the table format shows the functions of a profile that has only stacks") {
  check_golden("table", {.top = 100}, "default.table");
  check_golden("table", {.show_modules = true, .top = 100}, "modules.table");
  check_golden("table", {.top = 3}, "lines_top.table", test::profile_with_lines());
}

TEST_CASE("the JSON format is one document on one line") {
  check_golden("json", {}, "default.json");
  check_golden("json", {}, "lines.json", test::profile_with_lines());
  check_golden("json", {}, "wall.json", test::wall_profile());
  check_golden("json", {.top = 2}, "waits_top.json", test::waits_profile());
  check_golden("json", {.top = 2}, "measures_top.json", test::measures_profile());
  check_golden("json", {}, "empty.json", Profile());
  check_golden("json", {}, "ends.json", test::profile_with_ends());
}

TEST_CASE("the residency format of a single process names no process") {
  Profile profile;
  test::add_hostile(profile);
  const std::string text = report("residency", {}, profile);
  CHECK(text.starts_with("Residency Stack trace\n52.2%     wrap<"));
  CHECK(text.find("(4242)") == std::string::npos);
}

TEST_CASE("the residency format of zero values shows a share of zero") {
  Profile profile;
  profile.add(Row{.process = profile.process(1, 0, "init")});
  CHECK(report("residency", {}, profile) == "Residency Stack trace\n 0.0%     [No Stack];\n");
}

TEST_CASE("a profile without samples gives an empty report") {
  CHECK(report("counted", {}, Profile()).empty());
  CHECK(report("folded", {}, Profile()).empty());
  CHECK(report("residency", {}, Profile()) == "Residency Stack trace\n");
  CHECK(report("table", {}, Profile()) == "Nothing was recorded.\n\n");
}
