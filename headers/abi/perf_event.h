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
  __u32 weight;         /* enum perf_event_weight */
  __u32 may_skip_ticks; /* struct perf_event_state is looked at */
};

/* User space changes it during the run. */
struct perf_event_state {
  __u32 ticks_a_sample; /* not counting those of idle CPUs; 0 is as 1 */
};

/* Which hits are samples. With both 0 every hit is one. */
struct hit_rate {
  __u64 period;      /* one sample for so many hits of a CPU */
  __u64 interval_ns; /* the shortest time from one sample of a CPU to the next */
};

/* What bpf/perf_event.bpf.c has cost on one CPU. To look at the clock twice costs a good part of a short run. So after
 * the first RUNS_ALL_TIMED only every RUNS_OF_A_TIMED-th is timed, and stands for those before it too. With
 * WEIGHT_OF_HIT all are timed, because hits that are no samples cost less and may come at the same distance. */
#define RUNS_ALL_TIMED 256
#define RUNS_OF_A_TIMED 8
struct run_cost {
  __u64 runs; /* up to the last one that was timed */
  __u64 run_time_ns;
  __u64 began_ns; /* when the run under way began; 0: it is not timed */
  __u64 untimed;  /* runs since the last one that was timed */
  __u64 skipped;  /* ticks since the last sample that were not taken; it stands for them */
  __u64 all_skipped;
};

/* The hits of one CPU. */
struct hit_state {
  __u64 hits;    /* since the last sample */
  __u64 next_ns; /* CLOCK_MONOTONIC: no hit before it is a sample */
};

#endif
