/* What bpf/futex.bpf.c and its user side say to each other. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_FUTEX_H
#define PROFILE_ABI_FUTEX_H

#include "abi/durations.h"

/* The wait of one thread; the value of the map `spans`, whose key is the thread's id in the initial pid namespace. */
struct futex_wait {
  struct span span;
  __u64 began_ns; /* span.start_ns is later when a report has cut it */
  __u64 address;  /* of the futex in its process */
};

/* Constant once the programs are loaded; calls that there are not have a number no call has. */
struct futex_config {
  __u64 min_ns; /* waits below do not count, */
  __u64 max_ns; /* nor do those above */
  __s32 futex;  /* numbers of system calls, as the next */
  __s32 futex_wait;
  __s32 futex_waitv;
  __s32 compat_futex; /* of 32-bit programs, as the next */
  __s32 compat_futex_time64;
  __u32 padding;
};

PROFILE_ABI_ASSERT(sizeof(struct futex_wait) == 80, "futex_wait");
PROFILE_ABI_ASSERT(sizeof(struct futex_config) == 40, "futex_config");

#endif
