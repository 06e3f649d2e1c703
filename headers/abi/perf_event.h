/* The interface between bpf/perf_event.bpf.c, bpf/tracepoint.bpf.c and user space: the weight of a sample, and what the
 * runs cost. */
#ifndef PROFILE_ABI_PERF_EVENT_H
#define PROFILE_ABI_PERF_EVENT_H

#include <linux/types.h>

enum perf_event_weight {
  WEIGHT_ONE,     /* clocks: each sample counts as 1 */
  WEIGHT_PERIOD,  /* the period that the user asked for */
  WEIGHT_COUNTED, /* the events that this CPU has counted since its last sample */
  WEIGHT_OF_HIT   /* the program sees every event, and struct hit_rate says which of them are samples */
};

struct perf_event_config {
  __u32 weight; /* enum perf_event_weight */
};

/* Which hits are samples. With both 0 every hit is one. */
struct hit_rate {
  __u64 period;      /* one sample for so many hits of a CPU */
  __u64 interval_ns; /* the shortest time from one sample of a CPU to the next */
};

/* What bpf/perf_event.bpf.c has cost on one CPU. */
struct run_cost {
  __u64 runs;
  __u64 run_time_ns;
  __u64 began_ns; /* when the run under way began */
};

/* The hits of one CPU. */
struct hit_state {
  __u64 hits; /* since the last sample */
  __u64 next_ns;
};

#endif
