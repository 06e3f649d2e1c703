/* The interface between bpf/syscalls.bpf.c and user space. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_SYSCALLS_H
#define PROFILE_ABI_SYSCALLS_H

#include "abi/record.h"

/* A call is its number in one of three tables: abi << PROFILE_SYSCALL_ABI_SHIFT | number. */
enum syscall_abi {
  SYSCALL_NATIVE,
  SYSCALL_COMPAT, /* calls of 32-bit programs, which have other numbers */
  SYSCALL_X32,    /* x86-64: the 64-bit numbers and some more, marked by a bit */
  SYSCALL_ABIS
};
#define PROFILE_SYSCALL_ABI_SHIFT 10
#define PROFILE_SYSCALL_NUMBERS (1 << PROFILE_SYSCALL_ABI_SHIFT)
#define PROFILE_SYSCALLS (SYSCALL_ABIS * PROFILE_SYSCALL_NUMBERS)
/* No kernel has so many calls. Numbers from here on and numbers below 0 share the places from here on: the first number
 * of a place gets it, and all others count in the last place. */
#define PROFILE_SYSCALL_ODD 960
#define PROFILE_SYSCALL_OUT_OF_RANGE (PROFILE_SYSCALL_NUMBERS - 1)
#define PROFILE_SYSCALL_ODD_PLACES (PROFILE_SYSCALL_OUT_OF_RANGE - PROFILE_SYSCALL_ODD)

/* In stack_key::tag: the call and 1, and the errno of a call that failed, where its stack is taken at its end. */
#define SYSCALL_ERROR_SHIFT 16
PROFILE_ABI_ASSERT(PROFILE_SYSCALLS < 1 << SYSCALL_ERROR_SHIFT, "call and errno in a tag");

/* The counters of one CPU, to which one program at a time writes. They only grow. */
struct syscall_counts {
  __u64 begun[PROFILE_SYSCALLS]; /* by call; with by_process only calls that found no room in the table */
  __u64 in_table;                /* with by_process: calls in the table `uses` */
  __u64 filtered;                /* left out by the filters, or made by the profiler itself */
  __u64 ticks;                   /* ticks of the clock at which a wanted task was on the CPU */
  __u64 unmeasured;              /* calls whose duration and result found no place in the tables */
  __u64 unlisted_errors;         /* failed calls whose errno found no place in the table */
  __u64 reserved[3];             /* fills the last cache line */
};

/* Key of the tables `uses`, `results` and `failures`. The CPU is part of it, so that no two programs write to one row
 * at a time. */
struct syscall_key {
  __u32 tgid; /* in the profiler's pid namespace; 0 unless processes are kept apart, as `failures` always does */
  __u16 call;
  __u16 error; /* errno; 0 except in `failures` */
  __u16 cpu;
  __u16 generation;
};

/* by_process: the calls that have begun. */
struct syscall_use {
  __u64 begun;
  char comm[PROFILE_COMM_BYTES]; /* of the first thread */
};

/* Buckets by powers of two, in nanoseconds. The last bucket also has all that is longer than three days. */
#define PROFILE_SYSCALL_BUCKETS 48

/* The calls that have returned. */
struct syscall_result {
  __u64 returned;
  __u64 failed;
  __u64 total_ns;
  __u64 min_ns;
  __u64 max_ns;
  __u64 histogram[PROFILE_SYSCALL_BUCKETS]; /* filled only if durations are wanted */
};

/* The call of one thread: a value of the map `spans`. The key is the thread's id in the initial pid namespace. */
struct syscall_under_way {
  struct span span; /* with stacks and durations; otherwise only start_ns is valid */
  __u64 began_ns;   /* span.start_ns is later if a report has cut it; 1 if durations are not wanted */
  __u32 tgid;       /* in the profiler's pid namespace */
  __u32 call;
};

/* Constant once the programs are loaded. */
struct syscalls_config {
  __u8 some_calls; /* only the calls that are marked CALL_WANTED */
  __u8 by_process;
  __u8 stacks;
  __u8 results; /* measure how calls return: durations, failures */
  __u8 latency;
  __u8 failed;
  __u8 failed_stacks; /* stacks of the calls that fail, and of no others */
  __u8 padding;
};

/* The bits of each call in the array call_marks. */
enum call_mark {
  CALL_WANTED = 1,
  CALL_RETURNS = 2 /* not exit; not sigreturn, which returns the result of another call */
};

struct syscalls_state {
  __u32 generation; /* for the keys; set by user space */
  __u32 last_flush; /* set by user space: the run is over */
  __u64 rows;       /* rows in the three tables */
};

PROFILE_ABI_ASSERT(sizeof(struct syscall_counts) % 64 == 0, "syscall_counts");
PROFILE_ABI_ASSERT(sizeof(struct syscall_key) == 12, "syscall_key");
PROFILE_ABI_ASSERT(sizeof(struct syscall_use) == 24, "syscall_use");
PROFILE_ABI_ASSERT(sizeof(struct syscall_result) == 424, "syscall_result");
PROFILE_ABI_ASSERT(sizeof(struct syscall_under_way) == 80, "syscall_under_way");
PROFILE_ABI_ASSERT(sizeof(struct syscalls_config) == 8, "syscalls_config");
PROFILE_ABI_ASSERT(sizeof(struct syscalls_state) == 16, "syscalls_state");

#endif
