/* Sends the results of walks to user space: each stack before the samples that name its hash, and what user space needs
 * to finish a walk that lacks a table. */
#ifndef PROFILE_SENT_STACKS_BPF_H
#define PROFILE_SENT_STACKS_BPF_H

#include "run.bpf.h"
#include "walk_maps.bpf.h"

/* The hashes of the stacks that were sent in a generation. Not with walk_config::sends_each_row. */
MAP(sent_0, HASH, 0, __u64, __u64, SET_BY_USER_SPACE);
MAP(sent_1, HASH, 0, __u64, __u64, SET_BY_USER_SPACE);

#define UNFINISHED_RING_BYTES (1 << 22)
/* Samples whose walks user space finishes. */
struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, UNFINISHED_RING_BYTES);
} unfinished SEC(".maps");

static __always_inline bool send_frames(struct walk *walk, __u32 generation, __u64 hash) {
  walk->head.header.type = RING_STACK;
  walk->head.header.generation = generation;
  walk->head.hash = hash;
  __u64 bytes = (walk->depth & (2 * WALK_MOST_FRAMES - 1)) * sizeof(__u64);
  if (bytes > sizeof(walk->frames)) bytes = sizeof(walk->frames);
  return bpf_ringbuf_output(&ring, &walk->head, sizeof(walk->head) + bytes, ring_wakeup()) == 0;
}

static __always_inline void count_sent(__u32 generation) {
  __sync_fetch_and_add(&walk_state.sent[generation & 1], 1);
  if (walk_state.sent[generation & 1] >= walk_config.half_full) tell_half_full(generation);
}

/* Sends the stack of a walk that is held, if that is still to do. False: the ring buffer has no room. */
static __always_inline bool send_walked(struct walk *walk, __u32 generation, const struct stack_key *key) {
  if (!walk_config.sends_each_row) return true;
  if (!walk || !send_frames(walk, generation, key->user_hash)) return false;
  count_sent(generation);
  return true;
}

/* Sends a stack that this generation has not sent yet, before its hash is used. False: the ring buffer has no room. */
static __always_inline bool send_stack(struct walk *walk, void *sent, __u32 generation, __u64 hash) {
  if (bpf_map_lookup_elem(sent, &hash)) return true;
  if (!send_frames(walk, generation, hash)) return false;
  const __u64 one = 1;
  /* When `sent` is full, the stack is sent again the next time. */
  if (bpf_map_update_elem(sent, &hash, &one, BPF_NOEXIST) == 0) count_sent(generation);
  return true;
}

/* A record with the first `bytes` of the stack, or as many as are below `most`, a constant. NULL: no room, or the stack
 * cannot be read. */
static __always_inline struct ring_unfinished *copy_stack(__u64 sp, __u64 bytes, const __u64 most) {
  struct ring_unfinished *kept = bpf_ringbuf_reserve(&unfinished, offsetof(struct ring_unfinished, stack) + most, 0);
  if (!kept) return NULL;
  if (bytes >= most) bytes = most - sizeof(__u64);
  KEEP_BELOW(bytes, most);
  kept->bytes = bytes;
  if (!read_user(kept->stack, bytes, sp)) return kept;
  bpf_ringbuf_discard(kept, 0);
  return NULL;
}

/* Sends what user space needs to finish the walk. False: no room, or the stack cannot be read; then the sample counts
 * with the frames that it has. */
static __always_inline bool send_unfinished(struct walk *walk, __u32 generation, const struct stack_key *key,
                                            __u64 value, bool of_span) {
  if (!walk) return false;
  const __u32 slot = walk->slot;
  const __u64 sp = walk->stuck.sp;
  walk->sp = sp;
  find_stack_end(slot);
  __u64 end = walk->stack_end;
  /* Above the first frame lie the program's arguments, in pages that may not be present. One such page makes the whole
   * read fail. */
  if (sp < walk->start_stack && walk->start_stack < end) end = walk->start_stack;
  __u64 bytes = end > sp ? end - sp : 0;
  if (!bytes || name_registers(slot)) return false;
  /* A buffer that the program has not used may lie in a page that is not present. Less of the stack may be enough. */
  struct ring_unfinished *kept = NULL;
  if (bytes >= UNFINISHED_USUAL_BYTES) kept = copy_stack(sp, bytes, UNFINISHED_MOST_BYTES);
  if (!kept && bytes >= UNFINISHED_SMALL_BYTES) kept = copy_stack(sp, bytes, UNFINISHED_USUAL_BYTES);
  if (!kept && bytes >= UNFINISHED_LEAST_BYTES) kept = copy_stack(sp, bytes, UNFINISHED_SMALL_BYTES);
  if (!kept) kept = copy_stack(sp, bytes, UNFINISHED_LEAST_BYTES);
  if (!kept) return false;
  kept->header.type = RING_UNFINISHED;
  kept->header.generation = generation;
  kept->time_ns = bpf_ktime_get_ns();
  kept->value = value;
  kept->key = *key;
  kept->key.cpu = bpf_get_smp_processor_id();
  kept->caller = walk->caller;
  kept->stuck = walk->stuck;
  kept->start_stack = walk->start_stack;
  __builtin_memcpy(kept->innermost, walk->innermost, sizeof(walk->innermost));
  kept->of_span = of_span ? UNFINISHED_SPAN : UNFINISHED_SAMPLE;
  bpf_ringbuf_submit(kept, 0);
  return true;
}

static __always_inline bool keep_unfinished(struct walk *walk, __u32 generation, const struct stack_key *key,
                                            __u64 value) {
  return send_unfinished(walk, generation, key, value, false);
}

/* For a span, which counts at an unknown later time. Its stack gets the unique hash `hash`, so that user space can add
 * the missing callers to it. True: the key has this hash. */
static __always_inline bool keep_stack_of_span(struct walk *walk, __u32 generation, struct stack_key *key, __u64 hash) {
  const __u64 used = bpf_ringbuf_query(&unfinished, BPF_RB_AVAIL_DATA);
  if (used + 2 * sizeof(struct ring_unfinished) > UNFINISHED_RING_BYTES) return false;
  const __u64 shared = key->user_hash;
  key->user_hash = hash;
  if (send_frames(walk, generation, hash) && send_unfinished(walk, generation, key, 0, true)) return true;
  key->user_hash = shared;
  return false;
}

#endif
