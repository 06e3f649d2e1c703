/* What user space tells bpf/perf_event.bpf.c and bpf/tracepoint.bpf.c before they are loaded: what a sample is worth.
 */
#ifndef PROFILE_ABI_PERF_EVENT_H
#define PROFILE_ABI_PERF_EVENT_H

#include <linux/types.h>

enum perf_event_worth {
  WORTH_ONE,     /* clocks: a sample */
  WORTH_PERIOD,  /* the events between two samples, as asked for */
  WORTH_COUNTED, /* the events there were since the last sample of this CPU */
  WORTH_OF_HIT   /* the kernel shows every event, and struct hit_rate says which of them are samples */
};

struct perf_event_config {
  __u32 worth; /* enum perf_event_worth */
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
