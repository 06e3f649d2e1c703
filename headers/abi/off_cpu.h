/* What bpf/off_cpu.bpf.c and its user side say to each other. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_OFF_CPU_H
#define PROFILE_ABI_OFF_CPU_H

#include "abi/record.h"

/* The sums of one thread for one report. */
struct wait_sums {
  __u64 epoch; /* of which report; another than was asked for: there were none */
  __u64 total_ns;
  __u64 waits;
  __u64 min_ns;
  __u64 max_ns;
};

/* The parts of its waits that reports have cut off: kept apart because who cuts and the switch that ends the wait add
 * at the same time, on two CPUs. */
struct cut_sums {
  __u64 epoch; /* likewise */
  __u64 total_ns;
};

/* The waits of one thread; the value of the map `spans`, whose key is the thread's id in the initial pid namespace. One
 * that has exited stands there until user space takes it out, under a number above all ids and of its own. */
#define PROFILE_EXITED_THREAD (1U << 31)
struct thread_waits {
  struct span span;         /* the wait under way */
  __u64 began_ns;           /* that wait; span.start_ns is later when a report has cut it */
  struct wait_sums sums[2]; /* [epoch % 2], of the waits that count; written by switches alone while those are seen */
  struct cut_sums cuts[2];  /* likewise, by `flush` alone */
  __u64 seen_ns;            /* when it was last seen to come or to go */
  __u64 ran_ns;             /* its run time then, by the scheduler's own count */
  __u64 uncounted_ns;       /* wall: on a CPU since its last tick */
  __u32 tgid;               /* as the person sees them */
  __u32 tid;
  __u32 id;         /* in the initial pid namespace */
  __u16 exit_epoch; /* the low bits of the report under way as it exited */
  __u8 away;        /* it was seen to go, and not yet to come back */
  __u8 is_kernel_thread;
  char name[PROFILE_COMM_BYTES]; /* as its last wait began */
};

/* With --waker the value of `spans` is this: who has ended the wait under way. */
struct woken_thread {
  struct thread_waits waits;
  struct stack_key waker;
  __u64 is_woken; /* 0: nobody yet */
};

/* Which states of a thread that leaves its CPU are looked at; 0 is none. */
enum wait_state {
  WAIT_PREEMPTED = 1, /* it could have gone on running */
  WAIT_INTERRUPTIBLE = 2,
  WAIT_UNINTERRUPTIBLE = 4,
  WAIT_OTHER = 8 /* stopped, traced, parked */
};

struct off_cpu_config {
  __u64 min_ns; /* waits below do not count, */
  __u64 max_ns; /* nor do those above */
  __u32 states; /* of enum wait_state */
  __u8 wall;    /* time on the CPU counts, too */
  __u8 waker;   /* who ends a wait is told, too */
  __u16 padding;
};

struct off_cpu_state {
  __u64 epoch;          /* counts the reports; set by user space */
  __u64 ended_ns;       /* CLOCK_MONOTONIC, of the run; for the last flush */
  __u64 started_ns;     /* CLOCK_MONOTONIC; set before the programs are attached */
  __u64 cut_waits;      /* by the last flush: waits that were still going on */
  __u64 cut_ns;         /* and the sum of their lengths */
  __u64 exits;          /* of threads that were in the map */
  __u64 exited_threads; /* in the map, waiting to be taken out */
  __u64 unlisted;       /* threads whose sums found no place as they exited */
  __u64 uncounted_ns;   /* of threads that have exited */
  __u32 last_flush;     /* set by user space: the waits end here */
  __u32 padding;
};

/* A thread that was blocked before anybody looked: one record of the task iterator. The kernel stack follows. */
struct blocked_task {
  struct ring_sample head; /* user_bytes: 0 when it has a user stack, which the registers lead to */
  __u64 id;                /* in the initial pid namespace */
  __u64 ip;
  __u64 sp;
  __u64 fp;            /* frame pointer */
  __u64 extra;         /* as struct walk_stuck has it; this and the next just for the walk by tables */
  __u64 start_stack;   /* of the process; 0: by frame pointers alone */
  __u64 registers[32]; /* all of them, by DWARF's numbers */
};

#define PROFILE_TAG_OFF_CPU 1

PROFILE_ABI_ASSERT(sizeof(struct thread_waits) == 240, "thread_waits");
PROFILE_ABI_ASSERT(sizeof(struct woken_thread) == 296, "woken_thread");
PROFILE_ABI_ASSERT(sizeof(struct off_cpu_config) == 24, "off_cpu_config");
PROFILE_ABI_ASSERT(sizeof(struct off_cpu_state) == 80, "off_cpu_state");
PROFILE_ABI_ASSERT(sizeof(struct blocked_task) == 392, "blocked_task");

#endif
