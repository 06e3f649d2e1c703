/* Finds the row for a place in a file's code, in the tables of abi/unwind.h. A part of frame.bpf.h. */
#ifndef PROFILE_ROW_BPF_H
#define PROFILE_ROW_BPF_H

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
  const __u32 sought = unit << UNWIND_CODE_BITS | UNWIND_CODE_MASK;
  __u32 first = found.first_row;
  /* A search without a branch: adds `half` when its row is not above `sought`. */
  for (int i = 0; i < 10; i++) {
    if (rows <= 1) break;
    const __u32 half = rows >> 1;
    const __u32 row = *(__u32 *)(slab + ((first + half) * 4 & (WALK_SLAB_BYTES - 4)));
    __s64 room = (__s64)sought - (__s64)row;
    __asm__ volatile("" : "+r"(room)); /* otherwise clang makes a branch of it */
    first += half & ~(__u32)(room >> 63);
    rows -= half;
  }
  const __u32 row = *(__u32 *)(slab + (first * 4 & (WALK_SLAB_BYTES - 4)));
  return row <= sought ? row & UNWIND_CODE_MASK : before;
}

/* The code of the row for byte `offset` of the mapping's file. 0: there is none. */
static __always_inline __u32 code_at(struct walk *walk, const struct walk_mapping *mapping, __u64 offset) {
#ifdef __TARGET_ARCH_x86
  const __u32 unit_shift = UNWIND_X86_64_UNIT_SHIFT;
#else
  const __u32 unit_shift = UNWIND_ARM64_UNIT_SHIFT;
#endif
  const __u64 page = (offset >> UNWIND_PAGE_SHIFT(unit_shift)) - mapping->first_page;
  if (page >= mapping->pages) return 0;
  const __u32 at = mapping->pages_at + (__u32)page * sizeof(struct unwind_page);
  const __u32 unit = (__u32)(offset >> unit_shift) & UNWIND_MOST_IN_PAGE;
  __u32 code = 0;
  if (recall(walk, at, unit, &code)) return code;
  code = find_code(at, unit);
  remember(walk, at, unit, code);
  return code;
}

#endif
