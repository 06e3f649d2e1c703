/* Remembers the rows that this CPU has found: most frames of a sample were in samples before, and then the walk need
 * not search their page again. */
#ifndef PROFILE_KNOWN_CODES_BPF_H
#define PROFILE_KNOWN_CODES_BPF_H

#include "walk_host.bpf.h"

#define IS_KNOWN (1ULL << 63) /* so that an empty element equals no place */

/* `at`: where the page lies in the table space; `unit`: the place in that page. Both together are unique. */
static __always_inline struct known_code *known_code_at(struct walk *walk, __u64 *place, __u32 at, __u32 unit) {
  *place = IS_KNOWN | (__u64)at << (32 - UNWIND_CODE_BITS) | unit;
  __u64 index = *place * PLACE_FACTOR >> (64 - KNOWN_CODES_BITS);
  KEEP_BELOW(index, KNOWN_CODES);
  return &walk->known[index];
}

/* Not what was remembered before tables have gone: another one may lie there now. */
static __always_inline bool recall_row(struct walk *walk, __u32 at, __u32 unit, __u32 *code) {
  __u64 place;
  const struct known_code *known = known_code_at(walk, &place, at, unit);
  if (known->place != place || known->mappings_version != walk->mappings_version) return false;
  *code = known->code;
  return true;
}

static __always_inline void remember_row(struct walk *walk, __u32 at, __u32 unit, __u32 code) {
  __u64 place;
  struct known_code *known = known_code_at(walk, &place, at, unit);
  known->place = place;
  known->code = code;
  known->mappings_version = walk->mappings_version;
}

#endif
