// Tests which perf maps are held for processes whose /tmp goes away with them.
#include "parse/held_perf_maps.h"

#include <doctest/doctest.h>

#include <iterator>
#include <set>

namespace profile {
namespace {

constexpr std::uint32_t root = 0;
constexpr std::uint32_t user = 1000;

FileNumber number_of_map(std::uint32_t tgid) { return FileNumber{10'000 + tgid}; }

// Asks for all that are due. A question has the number of its process.
std::set<std::uint32_t> asked_by(HeldPerfMaps& maps) {
  std::set<std::uint32_t> asked;
  maps.ask_where_due([&](std::uint32_t tgid, FileNumber number) {
    CHECK(number == number_of_map(tgid));
    asked.insert(tgid);
    return std::uint64_t{tgid};
  });
  return asked;
}

}  // namespace

TEST_CASE("a held perf map keeps its number, and is found once it is open") {
  HeldPerfMaps maps;
  maps.want(1, user, number_of_map(1));
  CHECK(asked_by(maps) == std::set<std::uint32_t>{1});
  maps.want(1, user, FileNumber{7});
  CHECK(maps.take_asked(2) == FileNumber::none);
  CHECK(maps.take_asked(1) == number_of_map(1));
  CHECK(maps.take_asked(1) == FileNumber::none);
  CHECK_FALSE(maps.find(1));
  CHECK(maps.note_open({.number = number_of_map(1), .size_bytes = 5}));
  REQUIRE(maps.find(1));
  CHECK(maps.find(1)->size_bytes == 5);
}

TEST_CASE("a perf map that opens after it was dropped is to be closed") {
  HeldPerfMaps maps;
  maps.want(1, user, number_of_map(1));
  asked_by(maps);
  CHECK_FALSE(maps.drop(1));
  CHECK_FALSE(maps.note_open({.number = maps.take_asked(1), .size_bytes = 5}));
  CHECK_FALSE(maps.find(1));
}

TEST_CASE("one user's processes leave room for the perf maps of others") {
  HeldPerfMaps maps;
  for (std::uint32_t tgid = 1; tgid <= 100; ++tgid) maps.want(tgid, user, number_of_map(tgid));
  for (std::uint32_t tgid = 101; tgid <= 500; ++tgid) maps.want(tgid, root, number_of_map(tgid));
  const std::set<std::uint32_t> asked = asked_by(maps);
  CHECK(asked.size() == 256);
  CHECK(std::distance(asked.begin(), asked.upper_bound(100)) == 64);
}

}  // namespace profile
