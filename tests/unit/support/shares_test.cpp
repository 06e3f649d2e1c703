// Tests how a limited whole is divided: no number of owners can take all of it, and the first cannot take most of it.
#include "support/shares.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "sampling/recent_map.h"

using namespace profile;

namespace {

constexpr std::uint64_t whole = 16384;

std::uint64_t flood(Shares& shares, std::uint64_t owner) {
  std::uint64_t taken = 0;
  for (; taken <= whole && shares.may_take(owner, 1); ++taken) shares.take(owner, 1);
  return taken;
}

}  // namespace

TEST_CASE("an owner who takes all that he can get leaves room for others and for root") {
  Shares shares(whole);
  const std::uint64_t first = flood(shares, 1000);
  CHECK(first == whole * 3 / 8);
  CHECK(flood(shares, 1001) == first / 2);
  std::uint64_t taken = first + first / 2;
  for (std::uint64_t owner = 2000; owner < 4000; ++owner) taken += flood(shares, owner);
  CHECK(taken <= whole * 3 / 4);
  CHECK(shares.may_take(0, whole / 4));
}

TEST_CASE("an owner may take all that is left for it, and no more") {
  Shares shares(whole);
  shares.take(1000, 100);
  const std::uint64_t left = shares.left_for(1000);
  CHECK(left == whole * 3 / 8 - 100);
  CHECK(shares.may_take(1000, left));
  CHECK_FALSE(shares.may_take(1000, left + 1));
  shares.take(1000, left + 1);
  CHECK(shares.left_for(1000) == 0);
}

TEST_CASE("what was given back can be taken again") {
  Shares shares(whole);
  const std::uint64_t first = flood(shares, 1000);
  shares.give(1000, 10);
  CHECK(shares.taken_by(1000) == first - 10);
  CHECK(flood(shares, 1000) == 10);
  shares.give(1000, first);
  CHECK(shares.taken_by(1000) == 0);
  CHECK(flood(shares, 1001) == first);
}

TEST_CASE("what is used stays in a recent map, however many new keys come") {
  RecentMap<int, int, std::less<>> map(10);
  map[0] = 7;
  map[1] = 8;
  for (int key = 2; key < 1000; ++key) {
    map[key] = key;
    CHECK(map[0] == 7);
  }
  CHECK(map[999] == 999);
  CHECK(map[1] == 0);
}
