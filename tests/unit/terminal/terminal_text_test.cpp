// Tests text on a terminal: widths, cutting, and numbers.
#include <doctest/doctest.h>

#include <array>

#include "fixed_profile.h"
#include "terminal/text.h"

namespace profile {
namespace {

TEST_CASE("a text that fits stays as it is, and a longer text ends in an ellipsis within the width") {
  const TopLocale locale("C.UTF-8");
  REQUIRE(locale.has_unicode());
  CHECK(fitted("vfs_read", 8, true) == "vfs_read");
  CHECK(fitted("vfs_read", 7, true) == "vfs_re…");
  CHECK(fitted("vfs_read", 1, true) == "…");
  CHECK(fitted("vfs_read", 0, true).empty());
  CHECK(fitted("vfs_read", 7, false) == "vfs_r..");
  CHECK(fitted("vfs_read", 1, false) == "v");
  CHECK(columns_of(fitted(test::template_name(), 40, true)) == 40);
}

TEST_CASE("a wide character is never cut in half, and a combining mark stays with its character") {
  const TopLocale locale("C.UTF-8");
  CHECK(columns_of("漢字") == 4);
  CHECK(fitted("漢字", 4, true) == "漢字");
  CHECK(fitted("漢字かな", 6, true) == "漢字…");
  CHECK(left_aligned("漢字かな", 6, true) == "漢字… ");
  CHECK(fitted("e\u0301te\u0301", 3, true) == "e\u0301te\u0301");
  CHECK(fitted("e\u0301te\u0301s", 3, true) == "e\u0301t…");
  CHECK(columns_of(right_aligned("e\u0301", 4, true)) == 4);
}

TEST_CASE("combining marks do not pile up, and none is alone at the beginning") {
  const TopLocale locale("C.UTF-8");
  std::string piled = "a";
  for (int i = 0; i < 50; ++i) piled += "\u0301";
  CHECK(fitted(piled, 10, true) == "a\u0301\u0301");
  CHECK(fitted("\u0301b", 10, true) == "b");
}

TEST_CASE("control bytes, damaged bytes and unavailable characters become question marks") {
  const TopLocale locale("C.UTF-8");
  CHECK(fitted("a\x1b[2Jb\n", 20, true) == "a?[2Jb?");
  CHECK(fitted("a\xff\xc3", 20, true) == "a??");
  CHECK(fitted("naïve → λ", 20, false) == "na?ve ? ?");
}

TEST_CASE("the locale applies to this thread only, and the earlier locale returns afterwards") {
  const std::string before = ::setlocale(LC_ALL, nullptr);
  const locale_t thread_before = ::uselocale(nullptr);
  {
    const TopLocale locale("C.UTF-8");
    CHECK(::setlocale(LC_ALL, nullptr) == before);
  }
  CHECK(::uselocale(nullptr) == thread_before);
  CHECK(!TopLocale("C").has_unicode());
}

TEST_CASE("a sparkline has one character for each value, from blank for zero to full for the maximum") {
  constexpr std::array<double, 5> values = {0, 1, 50, 100, 200};
  CHECK(sparkline(values, 100, true) == " ▁▄██");
  CHECK(sparkline(values, 100, false) == " .=##");
  CHECK(sparkline(values, 0, true) == "     ");
}

TEST_CASE("amounts are short, in the steps of their unit") {
  CHECK(amount(0, Unit::samples) == "0");
  CHECK(amount(9'999'999, Unit::samples) == "9999999");
  CHECK(amount(12'345'678, Unit::samples) == "12.3M");
  CHECK(amount(1.9e19) == "19000.0P");
  CHECK(amount(999, Unit::microseconds) == "999 us");
  CHECK(amount(12'345, Unit::microseconds) == "12.3 ms");
  CHECK(amount(61'000'000, Unit::microseconds) == "61.0 s");
  CHECK(amount(7.2e9, Unit::microseconds) == "2.0 h");
  CHECK(amount(512, Unit::bytes) == "512 B");
  CHECK(amount(1'572'864, Unit::bytes) == "1.5 MiB");
  CHECK(clock_time(0) == "0:00:00");
  CHECK(clock_time(3723.9) == "1:02:03");
}

}  // namespace
}  // namespace profile
