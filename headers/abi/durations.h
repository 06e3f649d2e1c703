/* Sums of durations that the BPF programs keep for each thing that a source names. They are the values of the map
 * `durations`, with a struct durations_key as the key. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_DURATIONS_H
#define PROFILE_ABI_DURATIONS_H

#include "abi/record.h"

/* Buckets by powers of two, in nanoseconds. The last bucket also has all that is longer than three days. */
#define PROFILE_DURATION_BUCKETS 48

/* The CPU is part of the key. So two programs write to one row at a time only if one interrupts the other. */
struct durations_key {
  __u64 what; /* the source decides what this and `whose` mean */
  __u32 whose;
  __u16 cpu;
  __u16 generation;
};

struct durations_sum {
  __u64 count; /* durations that are over */
  __u64 total_ns;
  __u64 min_ns; /* of durations that are over, like max_ns */
  __u64 max_ns;
  __u64 bytes;
  char comm[PROFILE_COMM_BYTES]; /* of the first thread */
  __u64 histogram[PROFILE_DURATION_BUCKETS];
};

struct durations_state {
  __u32 generation; /* for the keys; set by user space */
  __u32 last_flush; /* set by user space: the next flush ends what is under way */
  __u64 rows;       /* rows in the map */
  __u64 unlisted;   /* durations that found no place in the map */
  __u64 cut;        /* durations that the last flush found under way */
  __u64 cut_ns;     /* the sum of the parts that it cut */
};

PROFILE_ABI_ASSERT(sizeof(struct durations_key) == 16, "durations_key");
PROFILE_ABI_ASSERT(sizeof(struct durations_sum) == 440, "durations_sum");
PROFILE_ABI_ASSERT(sizeof(struct durations_state) == 40, "durations_state");

#endif
