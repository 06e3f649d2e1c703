/* The buffers for a whole sample, which is too large for the BPF stack. */
#ifndef PROFILE_SCRATCH_BPF_H
#define PROFILE_SCRATCH_BPF_H

#include "run.bpf.h"

#ifdef PROFILE_PREEMPTIBLE
MAP(scratch_busy, PERCPU_ARRAY, 0, __u32, __u64, PROGRAMS_AT_ONCE);
#endif
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct ring_sample)); /* set by user space: room for two stacks more */
  __uint(max_entries, PROGRAMS_AT_ONCE);
} scratch SEC(".maps");

#ifdef PROFILE_PREEMPTIBLE
/* Tries one buffer. The index is a constant in each caller, because kernels before 6.18 refuse a loop over the buffers
 * as endless. A program that counts itself as the only user has the buffer; an atomic exchange would say so at once,
 * but needs 5.12. */
static __always_inline struct ring_sample *try_scratch(__u32 index, __u64 **busy) {
  *busy = bpf_map_lookup_elem(&scratch_busy, &index);
  if (!*busy) return NULL;
  __sync_fetch_and_add(*busy, 1);
  if (*(volatile __u64 *)*busy == 1) return bpf_map_lookup_elem(&scratch, &index);
  __sync_fetch_and_add(*busy, -1);
  return NULL;
}
#endif

/* A free buffer of this CPU, or NULL. The caller hands `busy` to give_scratch(). */
static __always_inline struct ring_sample *take_scratch(__u64 **busy) {
#ifdef PROFILE_PREEMPTIBLE
  struct ring_sample *free = try_scratch(0, busy);
  if (!free) free = try_scratch(1, busy);
  if (!free) free = try_scratch(2, busy);
  return free ? free : try_scratch(3, busy);
#else
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&scratch, &zero);
#endif
}

static __always_inline void give_scratch(__u64 *busy) {
#ifdef PROFILE_PREEMPTIBLE
  if (busy) __sync_fetch_and_add(busy, -1);
#endif
}

#endif
