/* What the kernel side and the user side say to each other: plain C, included by bpf/ and by src/, so that nothing is
 * mirrored by hand. Sizes are asserted; a change here is a change on both sides at once. */
#ifndef PROFILE_ABI_RECORD_H
#define PROFILE_ABI_RECORD_H

#include <linux/types.h>

#define PROFILE_COMM_BYTES 16
/* Two generations of the maps: one is written by the kernel, the other drained by user space. */
#define PROFILE_GENERATIONS 2

/* Where a sample ended. ACCOUNT_TAKEN is bumped first; exactly one of the others follows. */
enum account_slot {
  ACCOUNT_TAKEN,
  ACCOUNT_IN_MAP,         /* counted in the histogram */
  ACCOUNT_IN_RING,        /* went whole into the ring buffer: stack-id collision or full histogram */
  ACCOUNT_IDLE,           /* on an idle CPU, not asked for */
  ACCOUNT_FILTERED,       /* not of a process, thread or group that was asked for */
  ACCOUNT_LOST_RING_FULL, /* should have gone into the ring buffer, and that was full */
  ACCOUNT_SLOTS = 8       /* one cache line a CPU */
};

struct cpu_account {
  __u64 slot[ACCOUNT_SLOTS];
};

/* Key of the histogram. A stack id below zero is the errno of bpf_get_stackid; -EFAULT: there is no such stack. */
struct stack_key {
  __u32 tgid;
  __u32 tid; /* 0 unless threads are kept apart */
  __s32 user_stack;
  __s32 kernel_stack;
  char comm[PROFILE_COMM_BYTES]; /* of the thread */
};

struct stack_value {
  __u64 value;
  __u64 first_ns; /* CLOCK_MONOTONIC of its first sample: says which program image of that tgid it belongs to */
};

enum ring_type {
  RING_SAMPLE,    /* struct ring_sample and its frames */
  RING_HALF_FULL, /* struct ring_header alone: the histogram of this generation has passed half */
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
  __u32 tgid;
  __u32 tid; /* as in struct stack_key */
  char comm[PROFILE_COMM_BYTES];
  __s32 user_bytes; /* of its frames, or a negative errno; -EFAULT: there is no such stack */
  __s32 kernel_bytes;
  __u64 frames[];
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
  __u32 follow_children_of; /* TARGET_FOLLOWED: the tgid, as the person sees it, whose children are followed */
  __u8 target_filter;       /* enum target_filter */
  __u8 include_idle;
  __u8 user_stacks;
  __u8 kernel_stacks;
  __u8 by_thread;     /* keep threads apart: fill in tid */
  __u8 filter_cgroup; /* the subtree in wanted_cgroup */
  __u8 filter_cgroup_map;
  __u8 filter_mntns_map;
};

/* Written while sampling: by user space the generation, by the kernel the rest. */
struct record_state {
  __u32 generation;                /* the one the kernel writes to now */
  __u32 told[PROFILE_GENERATIONS]; /* whether RING_HALF_FULL was sent */
  __u32 padding;
  __u64 entries[PROFILE_GENERATIONS]; /* of the histogram */
  __u64 unfollowed;                   /* descendants of the command that found no place in the targets */
};

#ifdef __cplusplus
#define PROFILE_ABI_ASSERT static_assert
#else
#define PROFILE_ABI_ASSERT _Static_assert
#endif
PROFILE_ABI_ASSERT(sizeof(struct cpu_account) == 64, "cpu_account");
PROFILE_ABI_ASSERT(sizeof(struct stack_key) == 32, "stack_key");
PROFILE_ABI_ASSERT(sizeof(struct stack_value) == 16, "stack_value");
PROFILE_ABI_ASSERT(sizeof(struct ring_header) == 8, "ring_header");
PROFILE_ABI_ASSERT(sizeof(struct ring_sample) == 56, "ring_sample");
PROFILE_ABI_ASSERT(sizeof(struct record_config) == 28, "record_config");
PROFILE_ABI_ASSERT(sizeof(struct record_state) == 40, "record_state");

#endif
