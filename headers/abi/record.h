/* What the kernel side and the user side say to each other: plain C, included by bpf/ and by src/, so that nothing is
 * mirrored by hand. Sizes are asserted; a change here is a change on both sides at once. */
#ifndef PROFILE_ABI_RECORD_H
#define PROFILE_ABI_RECORD_H

#include <linux/types.h>

#define PROFILE_COMM_BYTES 16
/* Names of threads that --comm can choose. */
#define PROFILE_MOST_NAMES 8
/* CPUs that -C can choose from; the largest CONFIG_NR_CPUS of any architecture. */
#define PROFILE_MAX_CPUS 8192
/* Two generations of the maps: one is written by the kernel, the other drained by user space. */
#define PROFILE_GENERATIONS 2

/* Where a sample ended. ACCOUNT_TAKEN is bumped first; exactly one of the others follows, but for the last. */
enum account_slot {
  ACCOUNT_TAKEN,
  ACCOUNT_IN_MAP,          /* counted in the histogram */
  ACCOUNT_IN_RING,         /* went whole into the ring buffer: stack-id collision or full histogram */
  ACCOUNT_IDLE,            /* on an idle CPU, not asked for */
  ACCOUNT_FILTERED,        /* not of a process, thread or group that was asked for */
  ACCOUNT_LOST_RING_FULL,  /* should have gone into the ring buffer, and that was full */
  ACCOUNT_LOST_SPANS_FULL, /* the beginning of something that lasts found no place in the table of spans */
  ACCOUNT_TAKEN_IDLE,      /* bumped besides: the sample is of an idle CPU, whether asked for or not */
  ACCOUNT_SLOTS = 8        /* one cache line a CPU */
};

struct cpu_account {
  __u64 slot[ACCOUNT_SLOTS];
};

/* A stack id in a key says which generation's stack map it is in: a stack taken when a wait begins may be counted when
 * it ends, after the generations have changed. */
#define PROFILE_STACK_GENERATION_SHIFT 30
#define PROFILE_STACK_ID_MASK ((1 << PROFILE_STACK_GENERATION_SHIFT) - 1)

/* Key of the histogram. A stack below zero is the errno of bpf_get_stackid; -EFAULT: there is no such stack. */
struct stack_key {
  __u32 tgid;
  __u32 tid;        /* 0 unless threads are kept apart */
  __s32 user_stack; /* id | generation << PROFILE_STACK_GENERATION_SHIFT, as the next */
  __s32 kernel_stack;
  char comm[PROFILE_COMM_BYTES]; /* of the thread */
  union {
    /* Where the function returns to at whose first instruction the user stack was taken, before it had a frame of its
     * own; 0 for every other stack. */
    __u64 caller;
    /* With WALK_STACK in user_stack (abi/walk.h): of its frames, which went through the ring buffer. */
    __u64 user_hash;
  };
  __u32 tag; /* what the source puts at the leaf as a frame of its own: its business; 0: nothing */
  __u32 cpu; /* on which the stacks were taken; 0 unless CPUs are kept apart */
};

/* Key of the histograms `woken`, of waits that another thread has ended. `waker` is of no thread and of no CPU. */
struct woken_key {
  struct stack_key wait;
  struct stack_key waker;
};

struct stack_value {
  __u64 value;    /* in the source's unit */
  __u64 samples;  /* that make it up; not kept (0) unless record_config::weighted */
  __u64 first_ns; /* CLOCK_MONOTONIC of its first sample: says which program image of that tgid it belongs to */
};

enum ring_type {
  RING_SAMPLE,    /* struct ring_sample and its frames */
  RING_HALF_FULL, /* struct ring_header alone: the histogram of this generation has passed half */
  RING_SPAN,      /* struct ring_sample and its frames: the beginning of a span, without a weight yet */
  RING_SPAN_END,  /* struct ring_span_end: the weight of that span */
  RING_STACK,     /* struct ring_stack of abi/walk.h and its frames */
  RING_FILE,      /* struct ring_file, likewise */
  RING_UNFINISHED /* struct ring_unfinished, likewise, in a ring of its own */
};

struct ring_header {
  __u32 type;
  __u32 generation;
};

/* A sample that goes whole to user space: the frames follow, the user stack first, each leaf first. */
struct ring_sample {
  struct ring_header header;
  __u64 time_ns; /* CLOCK_MONOTONIC */
  __u64 value;
  __u64 span;           /* of RING_SPAN: its id */
  struct stack_key key; /* with the CPU in any case; its stacks count just where one was walked (abi/walk.h) */
  __s32 user_bytes;     /* of its frames, or a negative errno; -EFAULT: there is no such stack */
  __s32 kernel_bytes;
};

enum span_end {
  SPAN_COUNTS = 1, /* its weight is `value`; otherwise it was not what was asked for */
  SPAN_CLOSED = 2, /* it is over; otherwise it goes on, and `value` is a part of it */
  SPAN_BY_KEY = 4  /* its stacks are in the stack maps, by the ids in `key`; otherwise they came as RING_SPAN */
};

struct ring_span_end {
  struct ring_header header;
  __u64 span;
  __u64 began_ns; /* its ring_sample::time_ns */
  __u64 time_ns;
  __u64 value;
  __u32 cpu;
  __u32 flags; /* of enum span_end */
  struct stack_key key;
};

/* Something that lasts, and whose weight is its length: a wait, a lock, a request. It takes its stacks where it begins
 * and is counted where it ends. It belongs to the thread and the CPU of its beginning, wherever it ends: that is where
 * the filters looked, too. The map `spans` of a source holds these, or structures that begin with one. */
struct span {
  __u64 start_ns; /* 0: not under way */
  __u64 sent_ns;  /* nonzero: its stacks went to the ring buffer as RING_SPAN at this time, and so will its end */
  struct stack_key key;
};

/* The same, of a wait that another thread has ended. */
struct ring_woken_end {
  struct ring_span_end end;
  struct stack_key waker;
};

enum target_filter {
  TARGET_ALL,
  TARGET_TGIDS,   /* ids as the person sees them */
  TARGET_TIDS,    /* the same */
  TARGET_FOLLOWED /* tgids of the initial pid namespace, filled in by the kernel side */
};

/* Set before the programs are loaded and constant from then on, so the verifier removes what is off. */
struct record_config {
  __u32 max_depth;          /* frames of a stack, the second dimension of the stack maps */
  __u32 half_full;          /* entries of the histogram at which RING_HALF_FULL is sent */
  __u32 cpus;               /* possible CPUs: the accounts of generation g start at g * cpus */
  __u32 pid_namespace;      /* inode of the namespace ids are told in; 0: the initial one */
  __u32 ring_quarter;       /* bytes in the ring buffer at which a stream's reader is woken */
  __u32 follow_children_of; /* TARGET_FOLLOWED: the tgid, as the person sees it, whose children are followed */
  __u32 without_self;       /* what the profiler does itself is never wanted: record_state.own_tgids */
  __u8 target_filter;       /* enum target_filter */
  __u8 include_idle;
  __u8 user_stacks;
  __u8 kernel_stacks;
  __u8 by_thread;     /* keep threads apart: fill in tid */
  __u8 filter_cgroup; /* the subtree in wanted_cgroup */
  __u8 filter_cgroup_map;
  __u8 filter_mntns_map;
  __u8 filter_cpu; /* only those in wanted_cpus, for programs that run on every CPU whatever they are attached to */
  __u8 weighted;   /* a sample's value is not always 1: count the samples besides */
  __u8 stream;     /* every sample goes whole through the ring buffer, and none into the histogram */
  __u8 by_cpu;     /* keep CPUs apart: fill in stack_key::cpu */
};

/* A thread's name, filled up with zeros, is one of these when what `mask` keeps of it is `value`. */
struct name_pattern {
  __u64 value[PROFILE_COMM_BYTES / 8];
  __u64 mask[PROFILE_COMM_BYTES / 8];
};

/* The names asked for; constant once the programs are loaded, as the above. */
struct wanted_names {
  __u64 count; /* 0: threads of any name */
  struct name_pattern patterns[PROFILE_MOST_NAMES];
};

/* The profiler's processes: itself and its children, which come and go; beyond that number they count as others. */
#define PROFILE_MOST_OWN 16

/* Written while sampling: by user space `drain_count`, `paused` and `own_tgids`, by the kernel the rest. */
struct record_state {
  __u32 drain_count; /* how often the generations have changed; the kernel writes to drain_count % 2 now */
  __u32 half_full_sent[PROFILE_GENERATIONS]; /* whether RING_HALF_FULL was sent */
  __u32 paused;                              /* nothing is counted */
  __u64 entries[PROFILE_GENERATIONS];        /* of the histogram */
  __u64 unfollowed;                          /* descendants of the command that found no place in the targets */
  __u32 own_tgids[PROFILE_MOST_OWN];         /* as the person sees them; 0: no more */
};

#ifdef __cplusplus
#define PROFILE_ABI_ASSERT static_assert
#else
#define PROFILE_ABI_ASSERT _Static_assert
#endif
PROFILE_ABI_ASSERT(sizeof(struct cpu_account) == 64, "cpu_account");
PROFILE_ABI_ASSERT(sizeof(struct stack_key) == 48, "stack_key");
PROFILE_ABI_ASSERT(sizeof(struct stack_value) == 24, "stack_value");
PROFILE_ABI_ASSERT(sizeof(struct ring_header) == 8, "ring_header");
PROFILE_ABI_ASSERT(sizeof(struct ring_sample) == 88, "ring_sample");
PROFILE_ABI_ASSERT(sizeof(struct ring_span_end) == 96, "ring_span_end");
PROFILE_ABI_ASSERT(sizeof(struct ring_woken_end) == 144, "ring_woken_end");
PROFILE_ABI_ASSERT(sizeof(struct woken_key) == 96, "woken_key");
PROFILE_ABI_ASSERT(sizeof(struct span) == 64, "span");
PROFILE_ABI_ASSERT(sizeof(struct record_config) == 40, "record_config");
PROFILE_ABI_ASSERT(sizeof(struct wanted_names) == 264, "wanted_names");
PROFILE_ABI_ASSERT(sizeof(struct record_state) == 104, "record_state");

#endif
