// Tests that each distinct string is kept once, and that views stay valid.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/string_table.h"

using namespace profile;

TEST_CASE("equal strings have equal ids, and other strings have other ids") {
  StringTable strings;
  const StringId a = strings.intern("a");
  CHECK(strings.intern(std::string("a")) == a);
  CHECK(strings.intern("b") != a);
  CHECK(strings.intern(std::string_view("a\0", 2)) != a);
  CHECK(strings.view(a) == "a");
  CHECK(strings.size() == 4);  // the empty one is always there
}

TEST_CASE("the empty string has the id 0 from the start") {
  StringTable strings;
  CHECK(strings.size() == 1);
  CHECK(strings.view(StringId::empty).empty());
  CHECK(strings.intern("") == StringId::empty);
}

TEST_CASE("views and ids stay valid while the table grows and when it moves") {
  StringTable strings;
  std::vector<std::string_view> views;
  for (int i = 0; i < 10000; ++i) views.push_back(strings.view(strings.intern(std::to_string(i))));
  StringTable moved(std::move(strings));
  StringTable assigned;
  assigned = std::move(moved);
  for (int i = 0; i < 10000; ++i) {
    const std::string text = std::to_string(i);
    REQUIRE(views[static_cast<std::size_t>(i)] == text);
    REQUIRE(assigned.view(assigned.intern(text)) == text);
  }
  CHECK(assigned.size() == 10001);
}

TEST_CASE("a copy of a string table has the same ids and grows separately") {
  StringTable strings;
  const StringId a = strings.intern("a");
  StringTable copy = strings;
  CHECK(copy.view(a) == "a");
  const StringId b = copy.intern("b");
  CHECK(strings.size() == 2);
  strings = copy;
  copy.intern("c");
  CHECK(strings.view(b) == "b");
  CHECK(strings.intern("b") == b);
  CHECK(strings.size() == 3);
}
