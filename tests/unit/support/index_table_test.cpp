// The table of indices: what was added is found by its content, also when hashes are the same.
#include "support/index_table.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/hash.h"

using profile::IndexTable;

TEST_CASE("An empty table has nothing") {
  const IndexTable table;
  CHECK_FALSE(table.find(7, [](std::uint32_t) { return true; }));
}

TEST_CASE("A table finds each of many elements, and no other") {
  std::vector<std::uint64_t> numbers;
  IndexTable table;
  const auto find = [&](std::uint64_t number) {
    return table.find(profile::hash_of(number), [&](std::uint32_t i) { return numbers[i] == number; });
  };
  for (std::uint64_t number = 0; number < 10000; ++number) {
    CHECK_FALSE(find(number * 3));
    table.add(profile::hash_of(number * 3), numbers.size());
    numbers.push_back(number * 3);
  }
  REQUIRE(table.size() == 10000);
  for (std::uint64_t number = 0; number < 10000; ++number) {
    REQUIRE(find(number * 3) == number);
    REQUIRE_FALSE(find(number * 3 + 1));
  }
}

TEST_CASE("Elements with the same hash are told apart by their content") {
  const std::vector<std::string> texts{"one", "two", "three"};
  for (const std::uint64_t hash : {0ULL, ~0ULL}) {
    IndexTable table;
    for (std::size_t i = 0; i < texts.size(); ++i) table.add(hash, i);
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      CHECK(table.find(hash, [&](std::uint32_t at) { return texts[at] == texts[i]; }) == i);
    }
    CHECK_FALSE(table.find(hash, [](std::uint32_t) { return false; }));
  }
}

TEST_CASE("A table that was cleared has nothing, and can be filled again") {
  IndexTable table;
  for (std::size_t i = 0; i < 100; ++i) table.add(profile::hash_of(i), i);
  table.clear();
  CHECK(table.size() == 0);
  CHECK_FALSE(table.find(profile::hash_of(5), [](std::uint32_t) { return true; }));
  table.add(profile::hash_of(5), 9);
  CHECK(table.find(profile::hash_of(5), [](std::uint32_t) { return true; }) == 9);
}
