// Tests the search for the row of a place in a page of an unwind table. The code is the BPF program's own text,
// compiled here.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "walk_host.h"

namespace {

constexpr __u32 page_at = 64;
constexpr __u32 rows_at = 4096;
constexpr __u32 code_before = 99;

// The program has no slab but the first.
struct Tables : WalkHost {
  Tables() { host = this; }
};

void put_page(const std::vector<__u32>& rows, __u32 at = rows_at) {
  const unwind_page page{.first_row = at / 4,
                         .rows_and_code = static_cast<__u32>(rows.size()) << UNWIND_CODE_BITS | code_before};
  std::memcpy(&host->program.slab()[page_at], &page, sizeof page);
  if (!rows.empty()) std::memcpy(&host->program.slab()[at], rows.data(), rows.size() * sizeof(__u32));
}

// Looks at one row after another.
__u32 expected(const std::vector<__u32>& rows, __u32 unit) {
  __u32 code = code_before;
  for (const __u32 row : rows)
    if (row >> UNWIND_CODE_BITS <= unit) code = row & UNWIND_CODE_MASK;
  return code;
}

}  // namespace

TEST_CASE("the row is the last one that is not above the place, for each number of rows") {
  Tables tables;
  std::mt19937 random(1);
  for (__u32 count = 0; count <= UNWIND_MOST_IN_PAGE; count += count < 150 ? 1 : 31) {
    std::vector<__u32> rows;
    // Chooses `count` of all places, in their order.
    for (__u32 unit = 0; unit <= UNWIND_MOST_IN_PAGE && rows.size() < count; ++unit) {
      const __u32 left = UNWIND_MOST_IN_PAGE + 1 - unit;
      const auto wanted = count - static_cast<__u32>(rows.size());
      if (random() % left < wanted) rows.push_back(unit << UNWIND_CODE_BITS | (random() & UNWIND_CODE_MASK));
    }
    REQUIRE(rows.size() == count);
    put_page(rows);
    for (__u32 unit = 0; unit <= UNWIND_MOST_IN_PAGE; ++unit) {
      const __u32 found = find_code(page_at, unit);
      if (found != expected(rows, unit)) FAIL_CHECK(count << " rows, place " << unit << ": " << found);
    }
  }
}

TEST_CASE("rows at the end of a slab are found, and rows beyond the table space are not") {
  Tables tables;
  const std::vector<__u32> rows{0 << UNWIND_CODE_BITS | 1, 5 << UNWIND_CODE_BITS | 2, 9 << UNWIND_CODE_BITS | 3};
  put_page(rows, WALK_SLAB_BYTES - sizeof(__u32) * 3);
  CHECK(find_code(page_at, 4) == 1);
  CHECK(find_code(page_at, 5) == 2);
  CHECK(find_code(page_at, 1000) == 3);
  const unwind_page beyond{.first_row = 1U << 30, .rows_and_code = 3U << UNWIND_CODE_BITS};
  std::memcpy(&host->program.slab()[page_at], &beyond, sizeof beyond);
  CHECK(find_code(page_at, 5) == 0);
  const unwind_page elsewhere{.first_row = WALK_SLAB_BYTES / 4, .rows_and_code = 3U << UNWIND_CODE_BITS};
  std::memcpy(&host->program.slab()[page_at], &elsewhere, sizeof elsewhere);
  CHECK(find_code(page_at, 5) == 0);
}
