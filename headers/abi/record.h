/* The interface between all BPF programs and user space. Plain C, because bpf/ and src/ both include it, so nothing is
 * copied by hand. Sizes are asserted; a change must fit both sides. */
#ifndef PROFILE_ABI_RECORD_H
#define PROFILE_ABI_RECORD_H

#include <linux/types.h>

#define PROFILE_COMM_BYTES 16
/* The most names of threads in --comm. */
#define PROFILE_MOST_NAMES 8
/* CPUs that -C can choose from; the largest CONFIG_NR_CPUS of any architecture. */
#define PROFILE_MAX_CPUS 8192
/* Two generations of the maps: the BPF programs write to one while user space drains the other. */
#define PROFILE_GENERATIONS 2

/* What became of a sample. ACCOUNT_TAKEN is counted first, then exactly one of the six after it. ACCOUNT_TAKEN_IDLE
 * counts in addition. */
enum account_slot {
  ACCOUNT_TAKEN,
  ACCOUNT_IN_MAP,          /* counted in the histogram */
  ACCOUNT_IN_RING,         /* sent through a ring buffer, for example after a collision of stack ids */
  ACCOUNT_IDLE,            /* on an idle CPU, and the user has not asked for those */
  ACCOUNT_FILTERED,        /* the filters have left it out */
  ACCOUNT_LOST_RING_FULL,  /* lost: the ring buffer was full */
  ACCOUNT_LOST_SPANS_FULL, /* lost: the map `spans` was full */
  ACCOUNT_TAKEN_IDLE,      /* the sample is of an idle CPU, whether it is wanted or not */
  ACCOUNT_SLOTS = 8        /* one cache line for each CPU */
};

struct cpu_account {
  __u64 slot[ACCOUNT_SLOTS];
};

/* A stack id in a key says which generation's stack map has the stack. A stack from the beginning of a wait may count
 * when the wait ends, after the generations have changed. */
#define PROFILE_STACK_GENERATION_SHIFT 30
#define PROFILE_STACK_ID_MASK ((1 << PROFILE_STACK_GENERATION_SHIFT) - 1)

/* Key of the histogram. A negative stack is an errno, such as that of bpf_get_stackid. -EFAULT: there is no stack. */
struct stack_key {
  __u32 tgid;
  __u32 tid;        /* 0 unless threads are kept apart */
  __s32 user_stack; /* id | generation << PROFILE_STACK_GENERATION_SHIFT, like kernel_stack */
  __s32 kernel_stack;
  char comm[PROFILE_COMM_BYTES]; /* of the thread */
  union {
    /* The return address of the leaf, if the stack was taken at the leaf's first instruction, before it had a frame. 0
     * for every other stack. */
    __u64 caller;
    /* With WALK_STACK in user_stack (abi/walk.h): the hash of its frames, which went through the ring buffer. */
    __u64 user_hash;
  };
  __u32 tag; /* user space shows it as a frame at the leaf; the source decides its meaning; 0: none */
  __u32 cpu; /* where the stacks were taken; 0 unless CPUs are kept apart */
};

/* Key of the histograms `woken_0` and `woken_1`: waits that another thread has ended. In `waker` the tid and the CPU
 * are 0. */
struct woken_key {
  struct stack_key wait;
  struct stack_key waker;
};

struct stack_value {
  __u64 value;    /* in the source's unit */
  __u64 samples;  /* how many they are; 0 (not kept) unless record_config::weighted */
  __u64 first_ns; /* CLOCK_MONOTONIC when the program of that tgid ran that its first sample belongs to */
};

enum ring_type {
  RING_SAMPLE,     /* struct ring_sample and its frames */
  RING_HALF_FULL,  /* struct ring_header: this generation's histogram or map of sent stacks is half full */
  RING_SPAN,       /* struct ring_sample and its frames: the beginning of a span, without a weight yet */
  RING_SPAN_END,   /* struct ring_span_end: the weight of that span */
  RING_STACK,      /* struct ring_stack of abi/walk.h and its frames */
  RING_FILE,       /* struct ring_file of abi/walk.h */
  RING_UNFINISHED, /* struct ring_unfinished of abi/walk.h, in a separate ring */
  RING_NAME,       /* struct ring_name of abi/script.h */
  RING_LINES       /* struct ring_lines of abi/script.h */
};

struct ring_header {
  __u32 type;
  __u32 generation;
};

/* A sample that goes to user space with its frames. The frames follow: the user stack, then the kernel stack, each from
 * the leaf on. */
struct ring_sample {
  struct ring_header header;
  __u64 time_ns; /* CLOCK_MONOTONIC */
  __u64 value;
  __u64 span;           /* the id of a RING_SPAN */
  struct stack_key key; /* always with the CPU; its user stack counts only if that was walked (abi/walk.h) */
  __s32 user_bytes;     /* bytes of the frames, or a negative errno; -EFAULT: there is no such stack */
  __s32 kernel_bytes;
};

enum span_end {
  SPAN_COUNTS = 1, /* its weight is `value`; otherwise the filters have left it out */
  SPAN_CLOSED = 2, /* it is over */
  SPAN_BY_KEY = 4, /* its stacks are in the stack maps, by the ids in `key`; otherwise they came as RING_SPAN */
  SPAN_PART = 8    /* `value` is a part of it; it counts as a sample when it is over */
};

struct ring_span_end {
  struct ring_header header;
  __u64 span;
  __u64 began_ns; /* ring_sample::time_ns of its RING_SPAN; with SPAN_BY_KEY, when it began */
  __u64 time_ns;
  __u64 value;
  __u32 cpu;
  __u32 flags; /* bits of enum span_end */
  struct stack_key key;
};

/* Something that lasts and counts when it ends: a wait, a lock, a request. Its stacks, its thread, its CPU and the
 * answer of the filters are those of its beginning. The map `spans` of a source holds these, or structures that begin
 * with one. */
struct span {
  __u64 start_ns; /* 0: not under way */
  __u64 sent_ns;  /* not 0: when its stacks went to the ring buffer as RING_SPAN; its end must go there too */
  struct stack_key key;
};

/* A ring_span_end of a wait that another thread has ended. */
struct ring_woken_end {
  struct ring_span_end end;
  struct stack_key waker;
};

enum target_filter {
  TARGET_ALL,
  TARGET_TGIDS,   /* ids in the profiler's pid namespace */
  TARGET_TIDS,    /* ids in the profiler's pid namespace */
  TARGET_FOLLOWED /* tgids in the initial pid namespace; the BPF programs fill them in */
};

/* User space sets it before it loads the programs. From then on it is constant, so the verifier removes what is off. */
struct record_config {
  __u32 max_depth;          /* the most frames of a stack, and of an entry of the stack maps */
  __u32 half_full;          /* entries of the histogram at which RING_HALF_FULL is sent */
  __u32 cpus;               /* possible CPUs: the accounts of generation g start at g * cpus */
  __u32 pid_namespace;      /* inode of the profiler's pid namespace; 0: the initial one */
  __u32 ring_quarter;       /* bytes in the ring buffer at which the reader of each sample is woken */
  __u32 follow_children_of; /* TARGET_FOLLOWED: the tgid (profiler's pid namespace) whose children are followed */
  __u32 without_self;       /* the profiler's own processes are not wanted: record_state::own_tgids */
  __u8 target_filter;       /* enum target_filter */
  __u8 include_idle;
  __u8 user_stacks;
  __u8 kernel_stacks;
  __u8 by_thread;     /* keep threads apart: fill in tid */
  __u8 filter_cgroup; /* only the subtree in wanted_cgroup */
  __u8 filter_cgroup_map;
  __u8 filter_mntns_map;
  __u8 filter_cpu;  /* only the CPUs in wanted_cpus: for programs that run on every CPU */
  __u8 weighted;    /* a sample's value may differ from 1: count the samples too */
  __u8 each_sample; /* every sample goes through the ring buffer, and none into the histogram */
  __u8 no_tables;   /* what a source measures besides is not wanted */
  __u8 by_cpu;      /* keep CPUs apart: fill in stack_key::cpu */
};

/* It matches a thread's name, filled up with zeros, when (name & mask) == value. */
struct name_pattern {
  __u64 value[PROFILE_COMM_BYTES / 8];
  __u64 mask[PROFILE_COMM_BYTES / 8];
};

/* The names in --comm. Constant once the programs are loaded. */
struct wanted_names {
  __u64 count; /* 0: threads of any name */
  struct name_pattern patterns[PROFILE_MOST_NAMES];
};

/* The most processes of the profiler: the main process and its children. More of them count as other processes. */
#define PROFILE_MOST_OWN 16

/* Written while sampling. User space writes `drain_count`, `paused` and `own_tgids`, and the BPF programs write the
 * rest. After a drain user space sets `half_full_sent` and `entries` to 0. */
struct record_state {
  __u32 drain_count; /* how often the generations have changed; the programs write to generation drain_count % 2 */
  __u32 half_full_sent[PROFILE_GENERATIONS]; /* whether RING_HALF_FULL was sent */
  __u32 unused;
  __u64 paused_ns;                    /* CLOCK_MONOTONIC: since then nothing is counted; 0: all is */
  __u64 entries[PROFILE_GENERATIONS]; /* rows of the histogram */
  __u64 unfollowed;                   /* descendants of the command that found no place in `targets` */
  __u32 own_tgids[PROFILE_MOST_OWN];  /* in the profiler's pid namespace; 0: no more */
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
PROFILE_ABI_ASSERT(sizeof(struct record_config) == 44, "record_config");
PROFILE_ABI_ASSERT(sizeof(struct wanted_names) == 264, "wanted_names");
PROFILE_ABI_ASSERT(sizeof(struct record_state) == 112, "record_state");

#endif
