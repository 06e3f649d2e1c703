// Tests the budget for reading files: how much may be read at one time.
// Files that need more than a whole budget must not delay other files.
#include "support/effort.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace profile;

namespace {

using Verdict = Effort::Verdict;
constexpr std::uint64_t most = 1000;
constexpr std::uint64_t second_ns = 1'000'000'000;

Verdict read(Effort& effort, std::uint64_t file, std::uint64_t steps) {
  REQUIRE(effort.begin(file));
  effort.budget().take(steps);
  return effort.end();
}

}  // namespace

TEST_CASE("a file is too large only if a whole budget is not enough for it") {
  Effort effort(most, false);
  effort.renew(second_ns);
  CHECK(read(effort, 1, 600) == Verdict::fits);
  CHECK(read(effort, 2, 420) == Verdict::later);
  CHECK_FALSE(effort.begin(3));  // nothing is left
  effort.renew(2 * second_ns);
  CHECK(read(effort, 2, 220) == Verdict::fits);
  effort.renew(3 * second_ns);
  CHECK(read(effort, 4, 5000) == Verdict::too_large);
}

TEST_CASE("a file is tried again only with clearly more budget than it spent in vain") {
  Effort effort(most, false);
  effort.renew(second_ns);
  CHECK(read(effort, 1, 600) == Verdict::fits);
  CHECK(read(effort, 3, 200) == Verdict::fits);
  CHECK(read(effort, 2, 300) == Verdict::later);
  effort.renew(2 * second_ns);
  CHECK(read(effort, 1, 600) == Verdict::fits);
  CHECK(read(effort, 3, 100) == Verdict::fits);
  CHECK_FALSE(effort.begin(2));  // 300 steps are left, and the file has already spent 200 without success
  effort.renew(3 * second_ns);
  CHECK(read(effort, 2, 300) == Verdict::fits);
}

TEST_CASE("files that are too large cost one budget together and then little, and other files are still read") {
  Effort effort(most, false);
  effort.renew(second_ns);
  CHECK(read(effort, 1, 400) == Verdict::fits);
  effort.renew(2 * second_ns);
  CHECK(read(effort, 2, 5000) == Verdict::too_large);
  constexpr std::uint64_t small_part = most / 20;
  for (std::uint64_t file = 3; file < 15; ++file) {
    effort.renew(2 * second_ns);
    REQUIRE(effort.begin(file));
    CHECK(effort.budget().left() < small_part);
    effort.budget().take(5000);
    CHECK(effort.end() == Verdict::too_large);
  }
  effort.renew(3 * second_ns);
  CHECK(read(effort, 15, small_part / 2) == Verdict::fits);
  CHECK(read(effort, 1, 450) == Verdict::fits);
}

TEST_CASE("a repeated effort spends only a part of each time on files that are too large") {
  Effort effort(most, true);
  effort.renew(second_ns);
  CHECK(read(effort, 1, 100) == Verdict::fits);
  CHECK(read(effort, 2, 5000) == Verdict::too_large);
  CHECK_FALSE(effort.begin(3));
  effort.renew(second_ns);
  std::uint64_t file = 3;
  for (; effort.begin(file); ++file) {
    effort.budget().take(5000);
    CHECK(effort.end() == Verdict::too_large);
  }
  CHECK(file > 4);
  CHECK(file < 10);
  effort.renew(second_ns);
  CHECK(read(effort, file, 10) == Verdict::fits);
}

TEST_CASE("many files in a row cost a small part of the time, and a rest restores the whole budget") {
  Effort effort(most, false);
  const std::uint64_t first_ns = 1000 * second_ns;
  const auto spend = [&effort](std::uint64_t file, std::uint64_t steps) {
    if (!effort.begin(file)) return std::uint64_t{0};
    const std::uint64_t given = effort.budget().left();
    effort.budget().take(steps);
    const std::uint64_t left = effort.budget().left();
    static_cast<void>(effort.end());
    return given - left;
  };
  std::uint64_t spent = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    effort.renew(first_ns + i * second_ns);
    spent += spend(i, most / 2);
  }
  CHECK(spent <= 9 * most);
  effort.renew(first_ns + 2000 * second_ns);
  CHECK(spend(1000, most / 2) == most / 2);
}

TEST_CASE("an allowance refills with time, up to its limit") {
  Allowance allowance(most, 10);
  allowance.renew(100 * second_ns);
  allowance.budget().take(800);
  allowance.renew(101 * second_ns);
  CHECK(allowance.budget().left() == 300);
  allowance.renew(105 * second_ns);
  CHECK(allowance.budget().left() == 700);
  allowance.renew(200 * second_ns);
  CHECK(allowance.budget().left() == most);
}

TEST_CASE("what one owner spends of the allowances is missing for no other owner, and all together have a limit") {
  OwnerAllowances allowances(most, 10);
  allowances.renew(100 * second_ns);
  const auto spend = [&](std::uint64_t owner, std::uint64_t steps) {
    allowances.begin(owner);
    const std::uint64_t before = allowances.budget().left();
    allowances.budget().take(steps);
    const std::uint64_t spent = before - allowances.budget().left();
    allowances.end();
    return spent;
  };
  CHECK(spend(1000, UINT64_MAX) == most);
  CHECK(spend(1000, 1) == 0);
  CHECK(spend(1001, most / 2) == most / 2);
  CHECK(spend(0, UINT64_MAX) == most);
  std::uint64_t spent = 0;
  for (std::uint64_t owner = 2000; owner < 12'000; ++owner) spent += spend(owner, UINT64_MAX);
  CHECK(spent <= most / 2);
  // Time brings it back to all of them, root too.
  allowances.renew(110 * second_ns);
  CHECK(spend(0, UINT64_MAX) == most);
  CHECK(spend(1000, UINT64_MAX) == most);
}

namespace {

Verdict read(OwnerEfforts& efforts, std::uint64_t owner, std::uint64_t file, std::uint64_t steps) {
  REQUIRE(efforts.begin(owner, file));
  efforts.budget().take(steps);
  return efforts.end();
}

// What the owner can spend now, in files that each spend all that they get.
std::uint64_t spent_by(OwnerEfforts& efforts, std::uint64_t owner, std::uint64_t first_file) {
  std::uint64_t spent = 0;
  for (std::uint64_t file = first_file; file < first_file + 1000 && efforts.begin(owner, file); ++file) {
    spent += efforts.budget().left();
    efforts.budget().take(UINT64_MAX);
    static_cast<void>(efforts.end());
  }
  return spent;
}

}  // namespace

TEST_CASE("files of one owner that cost too much take nothing from the files of another") {
  OwnerEfforts efforts(most, true);
  efforts.renew(1000 * second_ns);
  for (int times = 0; times < 50; ++times) {
    spent_by(efforts, 1000, 1);
    efforts.renew(1000 * second_ns);
  }
  // An owner with one large file, and one whose files together take a whole budget.
  CHECK(read(efforts, 1001, 2000, most / 2) == Verdict::fits);
  CHECK(read(efforts, 0, 3000, most / 2) == Verdict::fits);
  CHECK(read(efforts, 0, 3001, most / 2 - 1) == Verdict::fits);
}

TEST_CASE("any number of owners together cost a bounded sum, and root's files are not bounded by it") {
  OwnerEfforts efforts(most, false);
  std::uint64_t spent = 0;
  for (std::uint64_t owner = 1; owner <= 10'000; ++owner) {
    efforts.renew(1000 * second_ns);
    spent += spent_by(efforts, owner, 1000 * owner);
  }
  CHECK(spent <= 6 * most);
  CHECK(read(efforts, 0, 1, most / 2) == Verdict::fits);
}
