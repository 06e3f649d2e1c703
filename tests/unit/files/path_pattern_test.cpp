// Tests the names that a pattern makes, and which existing names a pattern can have made.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <ctime>
#include <initializer_list>
#include <string>

#include "files/path_pattern.h"
#include "support/error.h"

using namespace profile;

namespace {

// 2026-11-20 19:05:09 in a time zone two and a half hours east of Greenwich.
constexpr std::uint64_t unix_s = 1'795'192'509;
constexpr std::uint64_t unix_ns = unix_s * 1'000'000'000 + 999'999'999;

// Sets the time zone for a test and restores it at the end.
class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* before = ::getenv("TZ")) before_ = before;
    set(name);
  }
  ~Zone() { set(before_.empty() ? nullptr : before_.c_str()); }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  static void set(const char* name) {
    if (name != nullptr) {
      ::setenv("TZ", name, 1);
    } else {
      ::unsetenv("TZ");
    }
    ::tzset();
  }
  std::string before_;
};

std::string expanded(const std::string& pattern, std::uint64_t number = 7, std::uint64_t again = 1) {
  return PathPattern(pattern).expand(unix_ns, number, again).whole();
}

std::string refusal(const std::string& pattern) {
  try {
    const PathPattern parsed(pattern, "-g");
  } catch (const Error& error) {
    CHECK(error.exit_status() == Error::misused);
    return error.what();
  }
  FAIL("not refused: " << pattern);
  return {};
}

void check_matches(const std::string& pattern, std::initializer_list<const char*> yes,
                   std::initializer_list<const char*> no) {
  const PathPattern parsed(pattern);
  for (const char* name : yes) CHECK_MESSAGE(parsed.matches(name), pattern << " should match " << name);
  for (const char* name : no) CHECK_MESSAGE(!parsed.matches(name), pattern << " should not match " << name);
}

}  // namespace

TEST_CASE("a time in a file name is the local time of the report") {
  const Zone zone("XYZ-2:30");
  CHECK(expanded("cpu-%Y%m%d-%H%M%S.pb.gz") == "cpu-20261120-190509.pb.gz");
  CHECK(expanded("%F_%T") == "2026-11-20_19:05:09");
  CHECK(expanded("%y%j %R %I%p") == "26324 19:05 07PM");
  CHECK(expanded("%s.txt") == std::to_string(unix_s) + ".txt");
  CHECK(expanded("%H%z-%Z") == "19+0230-XYZ");
  CHECK(expanded("%a %d %b, %GW%V.%u") == "Fri 20 Nov, 2026W47.5");
}

TEST_CASE("a pattern %d with digits is the running number, and without digits the day") {
  const Zone zone("XYZ-2:30");
  CHECK(expanded("flame%04d.png") == "flame0007.png");
  CHECK(expanded("flame%4d.png") == "flame0007.png");
  CHECK(expanded("flame%4d.png", 123456) == "flame123456.png");
  CHECK(expanded("flame%1d.png") == "flame7.png");
  CHECK(expanded("flame%0d.png") == "flame7.png");
  CHECK(expanded("flame%d.png") == "flame20.png");
  CHECK(expanded("%d%02d") == "2007");
}

TEST_CASE("a path with a time or a number is a pattern") {
  CHECK(PathPattern("%H").is_pattern());
  CHECK(PathPattern("%H").is_timed());
  CHECK_FALSE(PathPattern("%H").is_numbered());
  CHECK(PathPattern("%3d").is_pattern());
  CHECK(PathPattern("%3d").is_numbered());
  CHECK_FALSE(PathPattern("%3d").is_timed());
  CHECK_FALSE(PathPattern("out.folded").is_pattern());
  CHECK_FALSE(PathPattern("100%%.folded").is_pattern());
  CHECK(expanded("100%%.folded") == "100%.folded");
  CHECK(expanded("%%d%%%%04d") == "%d%%04d");
}

TEST_CASE("a path is split into directories and a name") {
  const Zone zone("XYZ-2:30");
  const auto path = PathPattern("/var/%Y/%m/cpu-%02d.pb.gz").expand(unix_ns, 3);
  CHECK(path.directory == "/var/2026/11/");
  CHECK(path.name == "cpu-03.pb.gz");
  CHECK(path.whole() == "/var/2026/11/cpu-03.pb.gz");
  CHECK(PathPattern("/var/%Y/x").directory_varies());
  CHECK(PathPattern("/var/log/of-%Y/m/x").fixed_directory() == "/var/log/");
  CHECK(PathPattern("%Y/m/x").fixed_directory().empty());
  CHECK(PathPattern("of-%Y/m/x").fixed_directory().empty());
  CHECK(PathPattern("a/b%%/x%Y").fixed_directory() == "a/b%/");
  CHECK(PathPattern("/var/%Y/x").is_pattern());
  CHECK_FALSE(PathPattern("/var/%%/x%Y").directory_varies());
  CHECK(PathPattern("x%Y").expand(unix_ns, 1).directory == ".");
  CHECK(PathPattern("/%Y").expand(unix_ns, 1).directory == "/");
  CHECK(expanded("./x%02d") == "./x07");
}

TEST_CASE("a taken name gets a number before its ending") {
  const Zone zone("XYZ-2:30");
  CHECK(expanded("cpu-%H.pb.gz", 1, 2) == "cpu-19~2.pb.gz");
  CHECK(expanded("a.b/cpu-%H", 1, 3) == "a.b/cpu-19~3");
  CHECK(expanded("cpu.%H.folded", 1, 10) == "cpu.19~10.folded");
  CHECK(expanded("%H/out.txt", 1, 2) == "19/out~2.txt");
  CHECK(expanded("%H/.hidden", 1, 2) == "19/.hidden~2");
}

TEST_CASE("an unknown letter after a percent sign is refused by name") {
  const std::string told = refusal("cpu-%Q.pb.gz");
  CHECK(told.starts_with("-g cpu-%Q.pb.gz: %Q "));
  CHECK(told.find('\n') == std::string::npos);
  CHECK(refusal("%-d").find(": %- ") != std::string::npos);
  CHECK(refusal("%4x").find(": %4x ") != std::string::npos);
  CHECK(refusal("%21d").find(": %21d ") != std::string::npos);
  CHECK(refusal("%99999999999999999999d").find(": %99999999999999999999d ") != std::string::npos);
  CHECK(refusal("100%").find(": % ") != std::string::npos);
  CHECK(refusal("%\xc3\xa9").find(": % ") != std::string::npos);
  CHECK(refusal("%\n").find(": % ") != std::string::npos);
  CHECK(refusal("%D").find(": %D ") != std::string::npos);  // %D contains slashes
  CHECK(refusal("%n").find(": %n ") != std::string::npos);
  CHECK(refusal("frames/").find("not a file name") != std::string::npos);
  CHECK(refusal("").find("not a file name") != std::string::npos);
}

TEST_CASE("a pattern matches only names that it can make") {
  check_matches("cpu-%Y%m%d-%H%M%S.pb.gz",
                {"cpu-20261120-190509.pb.gz", "cpu-19700101-000000.pb.gz", "cpu-20261120-190509~2.pb.gz",
                 "cpu-20261120-190509~13.pb.gz"},
                {"cpu-20261120-190509.pb",
                 "cpu-20261120-190509.pb.gz.old",
                 "xcpu-20261120-190509.pb.gz",
                 "cpu-2026112-190509.pb.gz",
                 "cpu-20261120-1905099.pb.gz",
                 "cpu-20262120-190509.pb.gz",
                 "cpu-20261140-190509.pb.gz",
                 "cpu-20261120-390509.pb.gz",
                 "cpu-20261120-196509.pb.gz",
                 "cpu-2026112o-190509.pb.gz",
                 "cpu-20261120-190509~1.pb.gz",
                 "cpu-20261120-190509~0.pb.gz",
                 "cpu-20261120-190509~02.pb.gz",
                 "cpu-20261120-190509~.pb.gz",
                 "cpu-20261120-190509~2x.pb.gz",
                 "cpu-20261120-190509~~2.pb.gz",
                 "cpu-precious.pb.gz",
                 "cpu-.pb.gz",
                 ".pb.gz",
                 ""});
  // A file that another pattern made must not be removed.
  check_matches("cpu-%Y%m%d.pb.gz", {"cpu-20261120.pb.gz", "cpu-20261120~2.pb.gz"}, {"cpu-20261120-190509.pb.gz"});
  check_matches("flame%04d.png", {"flame0001.png", "flame9999.png", "flame12345.png"},
                {"flame1.png", "flame001.png", "flame.png", "flame0001~2.png", "flame-001.png", "flame0001.svg",
                 "flame00a1.png"});
  check_matches("%s-%Z", {"1-UTC", "1795192509-+0230", "5-CEST~2"}, {"-UTC", "1-", "1-U/C", "x-UTC"});
  check_matches("p%s%04d", {"p12345", "p179519250900012"}, {"p1234", "p", "p1234x"});
  check_matches("dir/%%%H.%a", {"%19.Fri"}, {"19.Fri", "%19.Fr1", "%19.Friday"});
}

TEST_CASE("a pattern matches every name that it makes") {
  for (const char* zone_name : {"XYZ-2:30", "UTC", "<-03>3", "EST5EDT"}) {
    const Zone zone(zone_name);
    for (const char* text : {"%Y%m%d-%H%M%S.pb.gz", "%F.%T.txt", "%y%j%R%I%p", "%s", "%H%z-%Z", "%a%d%b%G%V%u", "%04d",
                             "x%0d.%H", "%%%1d%%.png", "a.%H%20d"}) {
      const PathPattern pattern(text);
      for (std::uint64_t number : {std::uint64_t{1}, std::uint64_t{99999}}) {
        for (std::uint64_t seconds = 0; seconds < 2'000'000'000; seconds += 12'345'678) {
          const std::string name = pattern.expand(seconds * 1'000'000'000, number).name;
          REQUIRE_MESSAGE(pattern.matches(name), text << ": " << name);
          if (!pattern.is_timed()) continue;
          REQUIRE(pattern.matches(pattern.expand(seconds * 1'000'000'000, number, 42).name));
        }
      }
    }
  }
}

TEST_CASE("a hostile name is matched quickly") {
  const PathPattern pattern("%s%s%s%s%s%s%s%s%s%s%s%sx");
  CHECK_FALSE(pattern.matches(std::string(255, '1') + "y"));
  CHECK(pattern.matches(std::string(254, '1') + "x"));
}
