/* For sources that see every hit but take only some as samples, as often as the user asked for. A sample has the weight
 * of all hits since the last one, so that the total is right. */
#ifndef PROFILE_WEIGHT_BPF_H
#define PROFILE_WEIGHT_BPF_H

#include "record.bpf.h"
/* This header needs the types above. */
#include "abi/perf_event.h"

SEC(".rodata.rate") const volatile struct hit_rate hit_rate = {};

/* Not atomic: on one CPU the kernel lets no program of a tracepoint or of a software event interrupt another of its
 * kind. */
MAP(hits, PERCPU_ARRAY, 0, __u32, struct hit_state, 1);

/* The weight of a wanted hit. 0: it is no sample, and the next sample counts it too. */
static __always_inline __u64 weight_of_hit(void) {
  if (!hit_rate.period && !hit_rate.interval_ns) return 1;
  const __u32 zero = 0;
  struct hit_state *state = bpf_map_lookup_elem(&hits, &zero);
  if (!state) return 1; /* an array of one always has its first element */
  const __u64 weight = ++state->hits;
  if (hit_rate.period) {
    if (weight < hit_rate.period) return 0;
  } else {
    const __u64 now_ns = bpf_ktime_get_ns();
    if (now_ns < state->next_ns) return 0;
    state->next_ns = now_ns + hit_rate.interval_ns;
  }
  state->hits = 0;
  return weight;
}

/* Records the hit if it is wanted and becomes a sample. */
static __always_inline int record_hit(void *ctx) {
  struct sample sample;
  if (!begin_sample(&sample)) return 0;
  const __u64 weight = weight_of_hit();
  return weight ? end_sample(ctx, &sample, weight) : 0;
}

#endif
