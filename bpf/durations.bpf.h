/* A table of durations beside the stacks: sums and a histogram for each thing that a source names. Only for programs
 * that keep their CPU, as programs on tracepoints do. A program in an interrupt may still interrupt `flush`. */
#ifndef PROFILE_DURATIONS_BPF_H
#define PROFILE_DURATIONS_BPF_H

#include "abi/durations.h"
#include "log2_bucket.bpf.h"
#include "record.bpf.h"

SEC(".data.durations") struct durations_state durations_state = {};

MAP(durations, HASH, 0, struct durations_key, struct durations_sum, SET_BY_USER_SPACE);

/* All zeros: the first value of a row, which is too large for the BPF stack. */
MAP(no_durations, ARRAY, 0, __u32, struct durations_sum, 1);

/* The row to add to. NULL: the map is full, or no tables are wanted. */
static __always_inline struct durations_sum *durations_of(__u64 what, __u32 whose, const char *comm) {
  if (record_config.no_tables) return NULL;
  const struct durations_key key = {.what = what,
                                    .whose = whose,
                                    .cpu = bpf_get_smp_processor_id(),
                                    .generation = *(volatile __u32 *)&durations_state.generation};
  struct durations_sum *sum = bpf_map_lookup_elem(&durations, &key);
  if (sum) return sum;
  const __u32 zero = 0;
  const struct durations_sum *fresh = bpf_map_lookup_elem(&no_durations, &zero);
  const bool is_new = fresh && bpf_map_update_elem(&durations, &key, fresh, BPF_NOEXIST) == 0;
  sum = bpf_map_lookup_elem(&durations, &key);
  if (!sum) {
    __sync_fetch_and_add(&durations_state.unlisted, 1);
  } else if (is_new) {
    __sync_fetch_and_add(&durations_state.rows, 1);
    __builtin_memcpy(sum->comm, comm, sizeof(sum->comm));
  }
  return sum;
}

/* Adds the last `part_ns` of a duration of `whole_ns`. The total is atomic, because an interrupt may end one duration
 * while `flush` adds to another. The rest needs no atomics: programs that end a duration do not interrupt each other,
 * and `flush` ends durations only when no other program runs any more. */
static __always_inline void add_duration(struct durations_sum *sum, __u64 part_ns, __u64 whole_ns, bool is_over) {
  __sync_fetch_and_add(&sum->total_ns, part_ns);
  if (!is_over) return;
  if (sum->count == 0 || whole_ns < sum->min_ns) sum->min_ns = whole_ns;
  if (whole_ns > sum->max_ns) sum->max_ns = whole_ns;
  sum->count++;
  sum->histogram[log2_bucket_of(whole_ns, PROFILE_DURATION_BUCKETS)]++;
}

#endif
