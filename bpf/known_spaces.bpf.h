/* Remembers the mappings of the address spaces that this CPU has walked last. Two programs that take turns on a CPU
 * would otherwise search all their mappings at each switch. A part of walk.bpf.h. */
#ifndef PROFILE_KNOWN_SPACES_BPF_H
#define PROFILE_KNOWN_SPACES_BPF_H

/* Chooses the address space of walk's members from `mm` to `epoch`. Its mappings stay if all of them are as they were.
 * The mappings that the walk before this one has found are forgotten if walk->keep_nothing is set. */
static __always_inline void enter_space(struct walk *walk) {
  if (walk->keep_nothing) walk->spaces[walk->space & (SPACES - 1)].mm = 0;
  /* Read again, because the verifier lets no program compute with the pointer that was put there. */
  __u64 index = *(volatile __u64 *)&walk->mm * PLACE_FACTOR >> (64 - SPACES_BITS);
  KEEP_BELOW(index, SPACES);
  struct walk_space *space = &walk->spaces[index];
  walk->space = index;
  walk->current = index * MAPPINGS;
  if (space->mm == walk->mm && space->sequence == walk->sequence && space->exec_id == walk->exec_id &&
      space->start_stack == walk->start_stack && space->tgid == walk->tgid && space->epoch == walk->epoch) {
    return;
  }
  space->mm = walk->mm;
  space->sequence = walk->sequence;
  space->exec_id = walk->exec_id;
  space->start_stack = walk->start_stack;
  space->tgid = walk->tgid;
  space->epoch = walk->epoch;
  space->count = 0;
  walk->mappings[walk->current & (ALL_MAPPINGS - 1)].bytes = 0;
}

/* Sets walk->current to the known mapping that holds `address`. False: none is known. */
static __always_inline bool recall_mapping(struct walk *walk, __u64 address) {
  const __u32 space = walk->space & (SPACES - 1);
  const __u32 count = walk->spaces[space].count;
  for (__u32 i = 0; i < MAPPINGS; i++) {
    if (i >= count) break;
    const struct walk_mapping *mapping = &walk->mappings[space * MAPPINGS + i];
    if (address - mapping->start < mapping->bytes) {
      walk->current = space * MAPPINGS + i;
      return true;
    }
  }
  return false;
}

/* Makes room for one more mapping of the current address space, and makes it the current one. */
static __always_inline struct walk_mapping *new_mapping(struct walk *walk) {
  const __u32 at = walk->space & (SPACES - 1);
  struct walk_space *space = &walk->spaces[at];
  __u32 place = space->count < MAPPINGS ? space->count++ : space->turn++;
  KEEP_BELOW(place, MAPPINGS);
  walk->current = at * MAPPINGS + place;
  return &walk->mappings[at * MAPPINGS + place];
}

#endif
