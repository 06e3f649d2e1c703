/* The interface between bpf/futex.bpf.c and user space. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_FUTEX_H
#define PROFILE_ABI_FUTEX_H

#include "abi/durations.h"

/* The wait of one thread: a value of the map `spans`. The key is the thread's id in the initial pid namespace. */
struct futex_wait {
  struct span span;
  __u64 began_ns; /* span.start_ns is later if a report has cut it */
  __u64 address;  /* of the futex in its process */
};

/* Constant once the programs are loaded. A system call that the kernel does not have has a number that no call uses. */
struct futex_config {
  __u64 min_ns; /* shorter waits do not count */
  __u64 max_ns; /* longer waits do not count */
  __s32 futex;  /* the numbers of system calls, from here on */
  __s32 futex_wait;
  __s32 futex_waitv;
  __s32 compat_futex; /* of 32-bit programs, like the next one */
  __s32 compat_futex_time64;
  __u32 padding;
};

PROFILE_ABI_ASSERT(sizeof(struct futex_wait) == 80, "futex_wait");
PROFILE_ABI_ASSERT(sizeof(struct futex_config) == 40, "futex_config");

#endif
