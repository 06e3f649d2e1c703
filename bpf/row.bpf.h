/* Finds the row for a place in a file's code, in the tables of abi/unwind.h. */
#ifndef PROFILE_ROW_BPF_H
#define PROFILE_ROW_BPF_H

#include "walk_host.bpf.h"

/* The bytes that a CPU reads from memory at once are mostly 64. */
#define ROWS_OF_LINE 16
#define LINES_AT_ONCE 8

static __always_inline __u32 row_at(const char *slab, __u32 index) {
  return *(__u32 *)(slab + (index * 4 & (WALK_SLAB_BYTES - 4)));
}

/* All bits set if `row` is not above `bound`, otherwise 0. Without a branch, which the CPU would guess wrong. */
static __always_inline __u32 is_at_most(__u32 row, __u32 bound) {
  __s64 room = (__s64)bound - (__s64)row;
  __asm__ volatile("" : "+r"(room)); /* otherwise clang makes a branch of it */
  return ~(__u32)(room >> 63);
}

/* Keeps the half of the rows from `first` on that holds the last row not above `bound`, or the first half. */
static __always_inline void halve(const char *slab, __u32 bound, __u32 *first, __u32 *rows) {
  const __u32 half = *rows >> 1;
  *first += half & is_at_most(row_at(slab, *first + half), bound);
  *rows -= half;
}

/* Searches the page at `at` of the table space for the row of `unit`, a place in the page. Returns its code. 0: there
 * is none. */
static __always_inline __u32 find_code(__u32 at, __u32 unit) {
  const char *slab = slab_of(at);
  if (!slab) return 0;
  const struct unwind_page found =
      *(struct unwind_page *)(slab + (at & (WALK_SLAB_BYTES - sizeof(struct unwind_page))));
  __u32 rows = found.rows_and_code >> UNWIND_CODE_BITS;
  const __u32 before = found.rows_and_code & UNWIND_CODE_MASK;
  if (!rows) return before;
  slab = slab_of(found.first_row << 2);
  if (found.first_row >> 30 || !slab) return 0;
  /* The row for `unit` is the last one that is not above this number, because rows compare as numbers. The code bits
   * are all ones, so that a row at `unit` itself is not above it. */
  const __u32 bound = unit << UNWIND_CODE_BITS | UNWIND_CODE_MASK;
  __u32 first = found.first_row;
  for (int i = 0; i < 4; i++) {
    if (rows <= LINES_AT_ONCE * ROWS_OF_LINE) break;
    halve(slab, bound, &first, &rows);
  }
  /* A row that is not known is mostly not in the CPU's cache, either. A search by halves waits for the memory at each
   * step; these reads do not depend on each other, so they wait for it together. */
  __u32 lines = 0;
  for (__u32 i = 1; i < LINES_AT_ONCE; i++) {
    if (i * ROWS_OF_LINE >= rows) break;
    lines += 1 & is_at_most(row_at(slab, first + i * ROWS_OF_LINE), bound);
  }
  first += lines * ROWS_OF_LINE;
  rows -= lines * ROWS_OF_LINE;
  if (rows > ROWS_OF_LINE) rows = ROWS_OF_LINE;
  for (int i = 0; i < 4; i++) {
    if (rows <= 1) break;
    halve(slab, bound, &first, &rows);
  }
  const __u32 row = row_at(slab, first);
  return row <= bound ? row & UNWIND_CODE_MASK : before;
}

/* The code of the row for byte `offset` of the mapping's file. 0: there is none. */
static __always_inline __u32 code_at(struct walk *walk, const struct walk_mapping *mapping, __u64 offset) {
  const __u64 page = (offset >> UNWIND_PAGE_SHIFT(UNIT_SHIFT)) - mapping->first_page;
  if (page >= mapping->pages) return 0;
  const __u32 at = mapping->pages_at + (__u32)page * sizeof(struct unwind_page);
  const __u32 unit = (__u32)(offset >> UNIT_SHIFT) & UNWIND_MOST_IN_PAGE;
  __u32 code = 0;
  if (recall_row(walk, at, unit, &code)) return code;
  code = find_code(at, unit);
  remember_row(walk, at, unit, code);
  return code;
}

#endif
