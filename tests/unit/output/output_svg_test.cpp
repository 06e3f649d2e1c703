// Compares the SVG picture with golden files, and tests any name in it. cli/pictures.sh checks that it is valid XML.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "fixed_measures.h"
#include "fixed_profile.h"
#include "golden_file.h"
#include "output/flame/view.h"
#include "output/output.h"

using namespace profile;
using test::check_golden;

namespace {

// The picture without its script, which is the same in all pictures.
std::string without_script(std::string svg) {
  const std::string begin = "<script><![CDATA[";
  const std::string end = "]]></script>\n";
  const std::size_t at = svg.find(begin);
  if (at == svg.npos) return svg;
  const std::size_t after = svg.find(end, at);
  REQUIRE(after != svg.npos);
  CHECK(svg.substr(after + end.size()) == "</svg>\n");
  return svg.erase(at, after + end.size() - at);
}

std::string drawn(const Profile& profile, const Profile* before = nullptr) {
  std::ostringstream out;
  write_flame_svg(out, OwnFlameView(profile, before).view());
  return without_script(out.str());
}

// The picture of a profile with one function of this name.
std::string drawn_name(std::string_view name) {
  Profile profile;
  test::Namer namer(profile);
  const ProcessId process = profile.process(1, 0, "p");
  profile.add({.process = process,
               .thread_name = profile.strings.intern("p"),
               .user = profile.stack(std::vector{namer.user(process, 1, name, "p", 0)}),
               .value = 1,
               .samples = 1});
  return drawn(profile);
}

}  // namespace

TEST_CASE("the SVG pictures of the fixed profiles equal the golden files") {
  check_golden("default.svg", drawn(test::fixed_profile()));
  check_golden("wall.svg", drawn(test::wall_profile()));
  check_golden("lines.svg", drawn(test::profile_with_lines()));
  check_golden("empty.svg", drawn(Profile()));
}

TEST_CASE("the SVG picture of a comparison shows the changes in colour") {
  Profile before;
  test::add_hostile(before);
  test::add_dd(before);
  before.account.taken = before.account.recorded = before.total();
  Profile now = test::fixed_profile();
  now.run.command_line = "profile diff before.folded 'an <other> one.folded' -o x.svg";
  check_golden("changes.svg", drawn(now, &before));
}

TEST_CASE("the SVG format writes the same picture with a script") {
  std::ostringstream out;
  const Profile profile = test::fixed_profile();
  find_output_format("svg")->make({}).report(out, profile);
  CHECK(out.str().find("<script>") != std::string::npos);
  CHECK(without_script(out.str()) == drawn(profile));
}

TEST_CASE("names in an SVG picture are text and never markup") {
  const std::string svg = drawn_name("<a b=\"c\" d='e'>&amp;]]></a><script>x</script>");
  CHECK(
      svg.find(
          "<title>&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;]]&gt;&lt;/a&gt;&lt;script&gt;x&lt;/script&gt;\n") !=
      std::string::npos);
  CHECK(svg.find("<script") == std::string::npos);
}

TEST_CASE("characters that XML forbids are replaced in an SVG picture") {
  const std::string svg = drawn_name(
      "a\xef\xbf\xbe"
      "b\xef\xbf\xbf"
      "c\x01"
      "d\xef\xbf\xbd");
  CHECK(svg.find("<title>a?b?c?d\xef\xbf\xbd\n") != std::string::npos);
}
