/* What user space tells bpf/perf_event.bpf.c and bpf/tracepoint.bpf.c before they are loaded: the weight of a sample.
 */
#ifndef PROFILE_ABI_PERF_EVENT_H
#define PROFILE_ABI_PERF_EVENT_H

#include <linux/types.h>

enum perf_event_weight {
  WEIGHT_ONE,     /* clocks: a sample */
  WEIGHT_PERIOD,  /* the events between two samples, as asked for */
  WEIGHT_COUNTED, /* the events there were since the last sample of this CPU */
  WEIGHT_OF_HIT   /* the kernel shows every event, and struct hit_rate says which of them are samples */
};

struct perf_event_config {
  __u32 weight; /* enum perf_event_weight */
};

/* With both 0 every hit is a sample. */
struct hit_rate {
  __u64 period;      /* one sample each so many hits of a CPU */
  __u64 interval_ns; /* at least so long from one sample of a CPU to the next */
};

/* What bpf/perf_event.bpf.c has cost one CPU. */
struct run_cost {
  __u64 runs;
  __u64 run_time_ns;
  __u64 began_ns; /* the run under way */
};

/* Of one CPU. */
struct hit_state {
  __u64 hits; /* since the last sample */
  __u64 next_ns;
};

#endif
