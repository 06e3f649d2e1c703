// Tests the regular expressions for names of functions.
#include "input/name_pattern.h"

#include <doctest/doctest.h>

#include <string>

#include "support/error.h"

using namespace profile;

namespace {

bool matches(std::string_view pattern, std::string_view name) { return NamePattern(pattern).matches(name); }

}  // namespace

TEST_CASE("a pattern matches whole names") {
  CHECK(matches("malloc", "malloc"));
  CHECK_FALSE(matches("malloc", "mallocs"));
  CHECK_FALSE(matches("malloc", "xmalloc"));
  CHECK(matches("malloc|free|operator new", "operator new"));
  CHECK(matches("(__)?posix_memalign", "posix_memalign"));
  CHECK(matches("(?:__)?posix_memalign", "__posix_memalign"));
  CHECK(matches("tcmalloc::.*", "tcmalloc::ThreadCache::Allocate"));
  CHECK(matches("runtime\\..*", "runtime.mallocgc"));
  CHECK_FALSE(matches("runtime\\..*", "runtimeXmallocgc"));
  CHECK(matches("", ""));
  CHECK(matches("a|", ""));
  CHECK(matches("(?P<kind>a+)b*?", "aab"));
  CHECK(matches("^a$", "a"));
  CHECK_FALSE(matches("a^b", "ab"));
  CHECK(matches("[a-c_]+[^a-c]", "a_cx"));
  CHECK_FALSE(matches("[a-c]+", "abcd"));
  CHECK(matches("[]x]", "]"));
  CHECK(matches("\\w+\\d\\s\\W", "ab1 ;"));
  CHECK(matches("[\\w.]+", "a.b"));
  CHECK(matches("\\Qa.b(\\E", "a.b("));
  CHECK(matches("x{2}y{1,}z{0,2}", "xxyyyz"));
  CHECK_FALSE(matches("x{2}", "xxx"));
  CHECK(matches("a{b", "a{b"));
  CHECK(matches("(a|ab)(c|bcd)", "abcd"));
  CHECK(matches("(a*)*b", std::string(3000, 'a') + "b"));
}

TEST_CASE("a pattern that cannot be read is an error, and a hostile one takes no longer") {
  for (const char* bad : {"(", ")", "a)", "[", "[a", "*a", "\\", "(?i)a", "(?=a)", "\\bword", "[[:alpha:]]", "[z-a]",
                          "a{3,2}", "a{2000}", "(((a{1000}){1000}){1000}){1000}"}) {
    CHECK_THROWS_AS(NamePattern{bad}, Error);
  }
  CHECK_THROWS_AS(NamePattern{std::string(5000, '(')}, Error);
  CHECK_THROWS_AS(NamePattern{std::string(100'000, 'a')}, Error);
  NamePattern slow("(.?){400}(.?){400}(.?){400}b");
  const std::string name(100'000, 'a');
  // It is told in time, or refused.
  try {
    CHECK_FALSE(slow.matches(name));
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("too long") != std::string::npos);
  }
}
