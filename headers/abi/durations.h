/* Sums of durations that the kernel side keeps by whatever a source names; the value of maps whose key begins with a
 * struct durations_key. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_DURATIONS_H
#define PROFILE_ABI_DURATIONS_H

#include "abi/record.h"

/* By powers of two, in nanoseconds; the last bucket takes what is longer than three days, too. */
#define PROFILE_DURATION_BUCKETS 48

/* The CPU is part of the key, so that only a program that interrupts another writes to its row at the same time. */
struct durations_key {
  __u64 what; /* the source's business, as the next */
  __u32 whose;
  __u16 cpu;
  __u16 generation;
};

struct durations_sum {
  __u64 count; /* that are over */
  __u64 total_ns;
  __u64 min_ns; /* of those that are over, as the next */
  __u64 max_ns;
  __u64 bytes;
  char comm[PROFILE_COMM_BYTES]; /* of the thread that was the first */
  __u64 histogram[PROFILE_DURATION_BUCKETS];
};

struct durations_state {
  __u32 generation; /* for the keys; set by user space */
  __u32 last_flush; /* set by user space: what is under way ends here */
  __u64 rows;       /* in the map */
  __u64 unlisted;   /* durations that found no place in it */
  __u64 cut;        /* by the last flush: that were still going on */
  __u64 cut_ns;     /* and the sum of their lengths */
};

PROFILE_ABI_ASSERT(sizeof(struct durations_key) == 16, "durations_key");
PROFILE_ABI_ASSERT(sizeof(struct durations_sum) == 440, "durations_sum");
PROFILE_ABI_ASSERT(sizeof(struct durations_state) == 40, "durations_state");

#endif
