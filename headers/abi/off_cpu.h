/* The interface between bpf/off_cpu.bpf.c and user space. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_OFF_CPU_H
#define PROFILE_ABI_OFF_CPU_H

#include "abi/record.h"

/* The sums of one thread's waits for one report. */
struct wait_sums {
  __u64 report_number; /* another number than the reader wants: no waits */
  __u64 total_ns;
  __u64 waits;
  __u64 min_ns;
  __u64 max_ns;
};

/* The parts of waits that reports have cut off. They are separate, because `flush` and the switch that ends the wait
 * may add at the same time on two CPUs. */
struct cut_sums {
  __u64 report_number; /* the report's number, as in wait_sums */
  __u64 total_ns;
};

/* The waits of one thread: a value of the map `spans`. The key is the thread's id in the initial pid namespace. If a
 * thread exits with sums that user space has not read, its entry stays until user space removes it, under a unique
 * number with this bit. */
#define PROFILE_EXITED_THREAD (1U << 31)
#define THREAD_AWAY 1       /* it was seen to leave, and not yet to come back */
#define THREAD_ENDING 2     /* when it left, its process was ending already */
#define THREAD_KILLED 4     /* it came back because its process ends */
#define THREAD_NEVER_WOKE 8 /* and had only this one wait in the report of then */
struct thread_waits {
  struct span span;         /* the wait under way */
  __u64 began_ns;           /* when that wait began; span.start_ns is later if a report has cut it */
  struct wait_sums sums[2]; /* [its report_number % 2]; written by switches, and by `flush` after the last switch */
  struct cut_sums cuts[2];  /* [its report_number % 2]; written by `flush` */
  __u64 seen_ns;            /* when it was last seen to come onto a CPU or to leave it */
  __u64 ran_ns;             /* its run time at seen_ns, as the scheduler counts it */
  __u64 uncounted_ns;       /* wall: time on CPUs since its last tick */
  __u32 tgid;               /* in the profiler's pid namespace, like tid */
  __u32 tid;
  __u32 id;                 /* in the initial pid namespace */
  __u16 exit_report_number; /* the low bits of off_cpu_state::report_number at its exit */
  __u8 flags;               /* THREAD_… */
  __u8 is_kernel_thread;
  char name[PROFILE_COMM_BYTES]; /* when its last wait began */
};

/* Key of `ended_times`: time on CPUs that no tick has counted, of threads that have ended. The next tick in another
 * thread of the process counts it, and after the process's end the next tick in a thread of that name. So it goes to
 * stacks as often as they run, and work that is over before a tick comes is not lost. */
struct ended_key {
  __u32 tgid;                    /* in the profiler's pid namespace; 0: of all processes that have ended */
  char name[PROFILE_COMM_BYTES]; /* with tgid 0; otherwise all zeros */
};

/* The value of `spans` with --waker: also who has ended the wait under way. */
struct woken_thread {
  struct thread_waits waits;
  struct stack_key waker;
  __u64 is_woken; /* 0: not yet */
};

/* The states of a thread that leaves its CPU, as bits. */
enum wait_state {
  WAIT_PREEMPTED = 1, /* it could go on running */
  WAIT_INTERRUPTIBLE = 2,
  WAIT_UNINTERRUPTIBLE = 4,
  WAIT_OTHER = 8 /* stopped, traced, parked */
};

struct off_cpu_config {
  __u64 min_ns; /* shorter waits do not count */
  __u64 max_ns; /* longer waits do not count */
  __u32 states; /* bits of enum wait_state: the states that count */
  __u8 wall;    /* time on the CPU counts too */
  __u8 waker;   /* who ends a wait is recorded too */
  __u8 ended;   /* a wait counts only where it ends */
  __u8 padding;
};

struct off_cpu_state {
  __u64 report_number;  /* counts the reports; set by user space */
  __u64 started_ns;     /* CLOCK_MONOTONIC: when the run began; 0 while the threads that are blocked are read */
  __u64 cut_waits;      /* waits that the last flush found under way, and has counted unless only ended ones count */
  __u64 cut_ns;         /* the sum of their parts */
  __u64 exits;          /* threads that have exited with sums that user space has not read */
  __u64 exited_threads; /* exited threads in the map that user space has not removed */
  __u64 unlisted;       /* exited threads whose sums found no place */
  __u64 uncounted_ns;   /* time of ended threads that found no room in `ended_times` */
  __u64 killed_waits;   /* waits that are left out because the end of their process ended them */
  __u64 killed_ns;      /* the sum of their parts */
  __u32 last_flush;     /* set by user space: the next flush ends all waits */
  __u32 padding;
};

/* A thread that was blocked when the run began: one record of the task iterator. The kernel stack follows. */
struct blocked_task {
  struct ring_sample head; /* user_bytes: 0 if it has a user stack, else -EFAULT */
  __u64 id;                /* in the initial pid namespace */
  __u64 ip;
  __u64 sp;
  __u64 fp;            /* frame pointer */
  __u64 extra;         /* as in struct walk_stuck; this and the next two only for the walk by tables */
  __u64 start_stack;   /* of the process; 0: user space walks by frame pointers alone */
  __u64 registers[32]; /* all of them, by DWARF's numbers */
};

#define PROFILE_TAG_OFF_CPU 1 /* stack_key::tag of a wait, with -e wall */

PROFILE_ABI_ASSERT(sizeof(struct thread_waits) == 240, "thread_waits");
PROFILE_ABI_ASSERT(sizeof(struct ended_key) == 20, "ended_key");
PROFILE_ABI_ASSERT(sizeof(struct woken_thread) == 296, "woken_thread");
PROFILE_ABI_ASSERT(sizeof(struct off_cpu_config) == 24, "off_cpu_config");
PROFILE_ABI_ASSERT(sizeof(struct off_cpu_state) == 88, "off_cpu_state");
PROFILE_ABI_ASSERT(sizeof(struct blocked_task) == 392, "blocked_task");

#endif
