/* Remembers the mappings of the address spaces that this CPU has walked last. Two programs that take turns on a CPU
 * would otherwise search all their mappings at each switch. */
#ifndef PROFILE_KNOWN_SPACES_BPF_H
#define PROFILE_KNOWN_SPACES_BPF_H

#include "walk_host.bpf.h"

/* The address space with the index walk->space. Whoever has the memory for them defines it. NULL: there is none. */
static __always_inline struct walk_space *space_of(const struct walk *walk);

/* Chooses the address space of walk's members from `mm` to `mappings_version`. Its mappings stay if all of them are as
 * they were. The mappings that the walk before this one has found are forgotten if walk->keep_nothing is set. */
static __always_inline void enter_space(struct walk *walk) {
  struct walk_space *space;
  if (walk->keep_nothing && (space = space_of(walk))) space->mm = 0;
  walk->mapping.bytes = 0;
  /* Read again, because the verifier lets no program compute with the pointer that was put there. */
  walk->space = walk->slot * SPACES + (*(volatile __u64 *)&walk->mm * PLACE_FACTOR >> (64 - SPACES_BITS));
  space = space_of(walk);
  walk->code_layout = 0;
  walk->is_sought = 0;
  if (!space) return;
  const bool is_same = space->mm == walk->mm && space->exec_id == walk->exec_id &&
                       space->start_stack == walk->start_stack && space->tgid == walk->tgid &&
                       space->mappings_version == walk->mappings_version;
  if (!is_same) space->code_layout = 0;
  walk->code_layout = space->code_layout;
  if (are_scripts_wanted() && walk->code_layout) walk->java = space->java;
  if (is_same && space->sequence == walk->sequence) {
    walk->is_sought = space->is_sought;
    return;
  }
  space->is_sought = 0;
  space->mm = walk->mm;
  space->sequence = walk->sequence;
  space->exec_id = walk->exec_id;
  space->start_stack = walk->start_stack;
  space->tgid = walk->tgid;
  space->mappings_version = walk->mappings_version;
  space->count = 0;
}

/* Makes the known mapping that holds `address` the current one. False: none is known. */
static __always_inline bool recall_mapping(struct walk *walk, __u64 address) {
  struct walk_space *space = space_of(walk);
  if (!space) return false;
  __u64 page = (address >> 12) * PLACE_FACTOR >> (64 - HINTS_BITS);
  KEEP_BELOW(page, HINTS);
  /* Most addresses lie in pages that were met before, and a deep stack may change its mapping at each frame. */
  __u32 hint = space->hints[page];
  if (hint < space->count) {
    const struct walk_mapping *mapping = &space->mappings[hint & (MAPPINGS - 1)];
    if (address - mapping->start < mapping->bytes) {
      walk->mapping = *mapping;
      return true;
    }
  }
  for (__u32 i = 0; i < MAPPINGS; i++) {
    if (i >= space->count) break;
    const struct walk_mapping *mapping = &space->mappings[i];
    if (address - mapping->start < mapping->bytes) {
      space->hints[page] = i;
      walk->mapping = *mapping;
      return true;
    }
  }
  return false;
}

/* Remembers the current mapping, which recall_mapping() did not know. */
static __always_inline void remember_mapping(struct walk *walk) {
  struct walk_space *space = space_of(walk);
  if (!space) return;
  __u32 place = space->count < MAPPINGS ? space->count++ : space->turn++;
  KEEP_BELOW(place, MAPPINGS);
  space->mappings[place] = walk->mapping;
}

static __always_inline void remember_code_layout(struct walk *walk) {
  struct walk_space *space = space_of(walk);
  if (!space) return;
  space->code_layout = walk->code_layout;
  space->is_sought = walk->is_sought;
  space->java = walk->java;
}

#endif
