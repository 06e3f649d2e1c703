// Tests where tables lie in slabs. The rows of a page never cross from one slab into the next, and none leave the
// table's room.
#include "sampling/walk_tables.h"

#include <doctest/doctest.h>

#include <vector>

using namespace profile;

namespace {

constexpr std::uint64_t rows_of_slab = WALK_SLAB_BYTES / sizeof(std::uint32_t);

UnwindTable table_of(const std::vector<std::uint32_t>& rows_of_pages) {
  UnwindTable table;
  std::uint32_t row = 0;
  for (const std::uint32_t rows : rows_of_pages) {
    table.pages.push_back({.first_row = row, .rows_and_code = rows << UNWIND_CODE_BITS});
    row += rows;
  }
  table.rows.resize(row);
  return table;
}

void check_placed(const UnwindTable& table, std::uint64_t base) {
  std::uint64_t total = 0;
  std::uint64_t next = base;
  bool holds = true;
  for (const unwind_page& page : placed_pages(table, base, total)) {
    const std::uint64_t last = page.first_row + (page.rows_and_code >> UNWIND_CODE_BITS) - 1;
    holds = holds && page.first_row >= next && page.first_row / rows_of_slab == last / rows_of_slab;
    next = last + 1;
  }
  CHECK(holds);
  CHECK(next == base + total);
  CHECK(total * sizeof(std::uint32_t) <= most_row_bytes(table.rows.size()));
}

}  // namespace

TEST_CASE("the rows of a page are in one slab, and all rows are placed if there is room") {
  for (const std::uint32_t rows_of_page : {1U, 700U, UNWIND_MOST_IN_PAGE}) {
    for (const std::size_t rows : {rows_of_slab - 1, 3 * rows_of_slab - 9000}) {
      const UnwindTable table = table_of(std::vector<std::uint32_t>(rows / rows_of_page, rows_of_page));
      for (const std::uint64_t base : {std::uint64_t{4}, rows_of_slab - 4, rows_of_slab - 1020}) {
        check_placed(table, base);
      }
    }
  }
}

TEST_CASE("the slabs have room for a gap at every border") {
  // The largest possible gap, at the beginning and at the end of both slabs.
  constexpr std::uint32_t gap = UNWIND_MOST_IN_PAGE - 1;
  std::vector<std::uint32_t> pages;
  for (int slab = 0; slab < 2; ++slab) {
    pages.insert(pages.end(), (rows_of_slab - gap) / UNWIND_MOST_IN_PAGE, UNWIND_MOST_IN_PAGE);
    pages.push_back((rows_of_slab - gap) % UNWIND_MOST_IN_PAGE);
  }
  pages.push_back(UNWIND_MOST_IN_PAGE);
  check_placed(table_of(pages), rows_of_slab - gap);
}

TEST_CASE("the largest table fits its room, also when every slab has a gap, and however these lie") {
  // The rows of 64 pages are one less than fit into a slab, and those of the next page do not fit.
  std::vector<std::uint32_t> pages;
  for (std::size_t rows = 0; rows + UNWIND_MOST_IN_PAGE <= most_unwind_rows; rows += pages.back()) {
    pages.push_back(pages.size() % 64 == 63 ? 65 : UNWIND_MOST_IN_PAGE);
  }
  const UnwindTable table = table_of(pages);
  for (std::uint64_t base = 0; base < rows_of_slab; base += 1021) check_placed(table, base);
  check_placed(table, rows_of_slab - 1);
}
