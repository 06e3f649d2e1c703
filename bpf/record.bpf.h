/* The one path every sample takes, whatever took it: filters, stacks, histogram, and, where those cannot hold it, the
 * ring buffer. A source ends in record(); the maps, the filters and the account are here once.
 *
 * PROFILE_LEAN leaves out everything that reads a kernel structure. libbpf loads the kernel's whole BTF for an object
 * with a single CO-RE relocation, used or not, which costs more than all the rest of our start. */
#ifndef PROFILE_RECORD_BPF_H
#define PROFILE_RECORD_BPF_H

#include <asm/errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
/* bpf_helpers.h wants the types above. */
#include <bpf/bpf_helpers.h>

#include "abi/record.h"

#ifndef PROFILE_LEAN
#include "tasks.bpf.h"
#endif

SEC(".rodata.record") const volatile struct record_config record_config = {};
SEC(".data.record") struct record_state record_state = {};

/* Sizes marked "set by user space" depend on the options and on the machine. */

#define STACK_MAP(name)                                \
  struct {                                             \
    __uint(type, BPF_MAP_TYPE_STACK_TRACE);            \
    __uint(key_size, sizeof(__u32));                   \
    __uint(value_size, 127 * sizeof(__u64)); /* set */ \
    __uint(max_entries, 16384);              /* set */ \
  } name SEC(".maps")

#define HISTOGRAM(name)                   \
  struct {                                \
    __uint(type, BPF_MAP_TYPE_HASH);      \
    __type(key, struct stack_key);        \
    __type(value, struct stack_value);    \
    __uint(max_entries, 40960); /* set */ \
  } name SEC(".maps")

STACK_MAP(stacks_0);
STACK_MAP(stacks_1);
HISTOGRAM(histogram_0);
HISTOGRAM(histogram_1);

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 18); /* set by user space */
} ring SEC(".maps");

/* Indexed by generation * cpus + CPU; read by user space through a mapping, without a system call. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, struct cpu_account);
  __uint(max_entries, PROFILE_GENERATIONS); /* set by user space */
} accounts SEC(".maps");

/* Where a whole sample is put together; too large for the BPF stack. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct ring_sample)); /* set by user space: two stacks more */
  __uint(max_entries, 1);
} scratch SEC(".maps");

/* The tgids or tids asked for, or those of the command and its descendants (follow.bpf.h says what the value is). */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __type(key, __u32);
  __type(value, __u64);
  __uint(max_entries, 1); /* set by user space */
} targets SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(__u32));
  __uint(max_entries, 1);
} wanted_cgroup SEC(".maps");

/* Replaced by the pinned maps of the person who asks. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __type(key, __u64);
  __type(value, __u32);
  __uint(max_entries, 1);
} cgroup_map SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __type(key, __u64);
  __type(value, __u32);
  __uint(max_entries, 1);
} mntns_map SEC(".maps");

/* Atomic, because one program may interrupt another on the same CPU. */
static __always_inline void bump(struct cpu_account *account, enum account_slot slot) {
  __sync_fetch_and_add(&account->slot[slot], 1);
}

/* Whether the current task is one of those asked for; its ids are those the person sees. */
static __always_inline bool is_wanted(__u32 tgid, __u32 tid) {
  if (record_config.target_filter != TARGET_ALL) {
    __u32 id = record_config.target_filter == TARGET_TIDS ? tid : tgid;
    if (record_config.target_filter == TARGET_FOLLOWED) id = bpf_get_current_pid_tgid() >> 32;
    if (!bpf_map_lookup_elem(&targets, &id)) return false;
  }
  if (record_config.filter_cgroup && bpf_current_task_under_cgroup(&wanted_cgroup, 0) != 1) return false;
  if (record_config.filter_cgroup_map) {
    __u64 id = bpf_get_current_cgroup_id();
    if (!bpf_map_lookup_elem(&cgroup_map, &id)) return false;
  }
#ifndef PROFILE_LEAN
  if (record_config.filter_mntns_map) {
    __u64 id = current_mount_namespace();
    if (!bpf_map_lookup_elem(&mntns_map, &id)) return false;
  }
#endif
  return true;
}

/* Sends the sample whole: the same two stacks, as addresses. */
static __always_inline int record_whole(void *ctx, struct cpu_account *account, __u32 generation,
                                        const struct stack_key *key, __u64 value) {
  const __u32 stack_bytes = record_config.max_depth * sizeof(__u64);
  const __u32 zero = 0;
  struct ring_sample *sample = bpf_map_lookup_elem(&scratch, &zero);
  if (!sample) return 0; /* an array of one always has its first element */

  sample->header.type = RING_SAMPLE;
  sample->header.generation = generation;
  sample->time_ns = bpf_ktime_get_ns();
  sample->value = value;
  sample->tgid = key->tgid;
  sample->tid = key->tid;
  __builtin_memcpy(sample->comm, key->comm, sizeof(sample->comm));

  __u64 used = 0;
  long taken = -EFAULT;
  if (record_config.user_stacks) taken = bpf_get_stack(ctx, sample->frames, stack_bytes, BPF_F_USER_STACK);
  sample->user_bytes = (__s32)taken;
  if (taken > 0) used = (__u64)taken;
  if (used > stack_bytes) used = stack_bytes; /* the verifier cannot know */

  taken = -EFAULT;
  if (record_config.kernel_stacks) taken = bpf_get_stack(ctx, (char *)sample->frames + used, stack_bytes, 0);
  sample->kernel_bytes = (__s32)taken;
  if (taken > 0) used += (__u64)taken;
  if (used > 2 * stack_bytes) used = 2 * stack_bytes;

  const bool sent = bpf_ringbuf_output(&ring, sample, sizeof(*sample) + used, 0) == 0;
  bump(account, sent ? ACCOUNT_IN_RING : ACCOUNT_LOST_RING_FULL);
  return 0;
}

/* A new row of the histogram was made: tell user space, once a generation, when it is half full. */
static __always_inline void count_entry(__u32 generation) {
  /* The atomic addition's own result would need 5.12. */
  __sync_fetch_and_add(&record_state.entries[generation], 1);
  if (record_state.entries[generation] >= record_config.half_full && !record_state.told[generation]) {
    record_state.told[generation] = 1; /* two CPUs at once may tell twice */
    struct ring_header header = {.type = RING_HALF_FULL, .generation = generation};
    bpf_ringbuf_output(&ring, &header, sizeof(header), BPF_RB_FORCE_WAKEUP);
  }
}

/* Adds `value` to the key's row. False when the histogram cannot take it. */
static __always_inline bool count_in(void *histogram, __u32 generation, const struct stack_key *key, __u64 value) {
  struct stack_value *row = bpf_map_lookup_elem(histogram, key);
  if (!row) {
    const struct stack_value fresh = {.value = value, .first_ns = bpf_ktime_get_ns()};
    if (bpf_map_update_elem(histogram, key, &fresh, BPF_NOEXIST) == 0) {
      count_entry(generation);
      return true;
    }
    row = bpf_map_lookup_elem(histogram, key); /* another CPU was first, or there is no room */
    if (!row) return false;
  }
  __sync_fetch_and_add(&row->value, value);
  return true;
}

static __always_inline bool has_collided(long stack_id) { return stack_id < 0 && stack_id != -EFAULT; }

static __always_inline bool count_stacks(void *ctx, void *stacks, void *histogram, __u32 generation,
                                         struct stack_key *key, __u64 value) {
  key->user_stack = -EFAULT;
  key->kernel_stack = -EFAULT;
  if (record_config.user_stacks) {
    const long id = bpf_get_stackid(ctx, stacks, BPF_F_USER_STACK);
    if (has_collided(id)) return false;
    key->user_stack = (__s32)id;
  }
  if (record_config.kernel_stacks) {
    const long id = bpf_get_stackid(ctx, stacks, 0);
    if (has_collided(id)) return false;
    key->kernel_stack = (__s32)id;
  }
  return count_in(histogram, generation, key, value);
}

/* Records one sample of the current task, worth `value` in the source's unit. */
static __always_inline int record(void *ctx, __u64 value) {
  const __u32 generation = *(volatile __u32 *)&record_state.generation & 1;
  const __u32 account_index = generation * record_config.cpus + bpf_get_smp_processor_id();
  struct cpu_account *account = bpf_map_lookup_elem(&accounts, &account_index);
  if (!account) return 0; /* sized for all possible CPUs */
  bump(account, ACCOUNT_TAKEN);

  __u64 ids = bpf_get_current_pid_tgid();
  if (ids == 0 && !record_config.include_idle) {
    bump(account, ACCOUNT_IDLE);
    return 0;
  }
#ifndef PROFILE_LEAN
  if (record_config.pid_namespace) ids = current_ids_in(record_config.pid_namespace);
#endif
  const __u32 tgid = ids >> 32;
  const __u32 tid = (__u32)ids;
  if (!is_wanted(tgid, tid)) {
    bump(account, ACCOUNT_FILTERED);
    return 0;
  }

  struct stack_key key = {.tgid = tgid};
  if (record_config.by_thread) key.tid = tid;
  bpf_get_current_comm(key.comm, sizeof(key.comm));

  const bool counted = generation == 0 ? count_stacks(ctx, &stacks_0, &histogram_0, 0, &key, value)
                                       : count_stacks(ctx, &stacks_1, &histogram_1, 1, &key, value);
  if (!counted) return record_whole(ctx, account, generation, &key, value);
  bump(account, ACCOUNT_IN_MAP);
  return 0;
}

#endif
