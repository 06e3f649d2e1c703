/* The one path of every sample: filters, stacks, histogram, and the ring buffer where those cannot hold the sample. All
 * sources share its maps.
 *
 * PROFILE_LEAN leaves out everything that reads a kernel structure. libbpf loads the kernel's whole BTF for an object
 * with a single CO-RE relocation, used or not, and that costs more than the rest of our start. */
#ifndef PROFILE_RECORD_BPF_H
#define PROFILE_RECORD_BPF_H

#include "abi/record.h"
#include "filters.bpf.h"
#include "map.bpf.h"
#include "run.bpf.h"
#include "scratch.bpf.h"
#include "walk.bpf.h"
#ifndef PROFILE_LEAN
#include "tasks.bpf.h"
#endif

/* Whether the event came in the kernel. Where the context of a program says so, the program defines it, and saves a
 * search for a kernel stack that does not exist. */
#ifndef IS_IN_KERNEL
#define IS_IN_KERNEL(ctx) true
#endif

#define STACK_MAP(name)                                \
  struct {                                             \
    __uint(type, BPF_MAP_TYPE_STACK_TRACE);            \
    __uint(key_size, sizeof(__u32));                   \
    __uint(value_size, 127 * sizeof(__u64)); /* set */ \
    __uint(max_entries, 16384);              /* set */ \
  } name SEC(".maps")

STACK_MAP(stacks_0);
STACK_MAP(stacks_1);
MAP(histogram_0, HASH, 0, struct stack_key, struct stack_value, SET_BY_USER_SPACE);
MAP(histogram_1, HASH, 0, struct stack_key, struct stack_value, SET_BY_USER_SPACE);

/* A sample that has begun: of the current task, on this CPU, and not counted yet. */
struct sample {
  struct cpu_account *account;
  __u32 drain_count; /* how often the generations have changed */
  __u32 generation;
  __u32 tid; /* in the profiler's pid namespace */
  struct stack_key key;
};

/* The current task's tgid << 32 | tid, in the profiler's pid namespace. 0: the idle task. */
static __always_inline __u64 current_ids(void) {
#ifndef PROFILE_LEAN
  if (record_config.pid_namespace) return current_ids_in(record_config.pid_namespace);
#endif
  return bpf_get_current_pid_tgid();
}

/* Begins a sample of the current task. False: it is not wanted, and the account has it already, unless the run is
 * paused. */
static __always_inline bool begin_sample(struct sample *sample) {
  if (is_paused()) return false;
  sample->drain_count = current_drain();
  sample->generation = sample->drain_count & 1;
  sample->account = account_of(sample->generation);
  if (!sample->account) return false;

  if (bpf_get_current_pid_tgid() == 0) {
    bump(sample->account, ACCOUNT_TAKEN_IDLE);
    if (!record_config.include_idle) {
      bump(sample->account, ACCOUNT_TAKEN);
      bump(sample->account, ACCOUNT_IDLE);
      return false;
    }
  }
  const __u64 ids = current_ids();
  const __u32 tgid = ids >> 32;
  const __u32 tid = (__u32)ids;
  if (!is_wanted(tgid, tid)) {
    bump(sample->account, ACCOUNT_TAKEN);
    bump(sample->account, ACCOUNT_FILTERED);
    return false;
  }
  __builtin_memset(&sample->key, 0, sizeof(sample->key));
  sample->tid = tid;
  sample->key.tgid = tgid;
  if (record_config.by_thread) sample->key.tid = tid;
  if (record_config.by_cpu) sample->key.cpu = bpf_get_smp_processor_id();
  bpf_get_current_comm(sample->key.comm, sizeof(sample->key.comm));
  return true;
}

/* Decides which user stack a sample of the current task gets. WALKED: the key has it. WALKED_NOT: take_others() or
 * send_with() must take it. WALKED_LOST: the sample is lost. `held`: see walk_user_stack(). */
static __always_inline enum walked decide_user_stack(__u32 generation, struct stack_key *key, struct walk **held) {
  if (record_config.user_stacks && walk_config.mode != WALK_OFF) return walk_user_stack(generation, key, held);
  return WALKED_NOT;
}

/* Sends the current task's stacks as addresses, except a user stack that was walked. `type` is RING_SAMPLE, or
 * RING_SPAN with the span's id in `span`. False: the ring buffer has no room. */
static __always_inline bool send_with(void *ctx, enum walked walked, enum ring_type type, __u64 span, __u32 generation,
                                      const struct stack_key *key, __u64 time_ns, __u64 value) {
  const __u32 stack_bytes = record_config.max_depth * sizeof(__u64);
  __u64 *busy = NULL;
  struct ring_sample *whole = take_scratch(&busy);
  if (!whole) return false;

  whole->header.type = type;
  whole->header.generation = generation;
  whole->time_ns = time_ns;
  whole->value = value;
  whole->span = span;
  whole->key = *key;
  whole->key.cpu = bpf_get_smp_processor_id();

  __u64 used = 0;
  long taken = -EFAULT;
  if (record_config.user_stacks && walked == WALKED_NOT) {
    whole->key.user_stack = -EFAULT; /* its frames follow in this record */
    taken = bpf_get_stack(ctx, whole + 1, stack_bytes, BPF_F_USER_STACK);
  }
  whole->user_bytes = (__s32)taken;
  if (taken > 0) used = (__u64)taken;
  if (used > stack_bytes) used = stack_bytes; /* the verifier does not know this bound */

  taken = -EFAULT;
  if (record_config.kernel_stacks && IS_IN_KERNEL(ctx)) {
    taken = bpf_get_stack(ctx, (char *)(whole + 1) + used, stack_bytes, 0);
  }
  whole->kernel_bytes = (__s32)taken;
  if (taken > 0) used += (__u64)taken;
  if (used > 2 * stack_bytes) used = 2 * stack_bytes;

  const bool sent = bpf_ringbuf_output(&ring, whole, sizeof(*whole) + used, ring_wakeup()) == 0;
  give_scratch(busy);
  return sent;
}

/* Counts a new row of the histogram. */
static __always_inline void count_entry(__u32 generation) {
  /* Reads the count again, because the result of an atomic addition needs Linux 5.12. */
  __sync_fetch_and_add(&record_state.entries[generation], 1);
  if (record_state.entries[generation] >= record_config.half_full) tell_half_full(generation);
}

/* Adds `value` to the key's row, and `samples`, which is 1 or 0. False: there is no row. */
static __always_inline bool add_to_row(void *histogram, const struct stack_key *key, __u64 value, __u64 samples) {
  struct stack_value *row = bpf_map_lookup_elem(histogram, key);
  if (!row) return false;
  __sync_fetch_and_add(&row->value, value);
  if (record_config.weighted) __sync_fetch_and_add(&row->samples, samples);
  return true;
}

/* Makes the key's row, with `value` and `samples`. `time_ns`: when the program ran that the stacks are of. False when
 * the histogram cannot take it. */
static __always_inline bool make_row(void *histogram, __u32 generation, const struct stack_key *key, __u64 value,
                                     __u64 samples, __u64 time_ns) {
  const struct stack_value fresh = {
      .value = value, .samples = record_config.weighted ? samples : 0, .first_ns = time_ns};
  if (bpf_map_update_elem(histogram, key, &fresh, BPF_NOEXIST)) {
    return add_to_row(histogram, key, value, samples); /* another CPU was first, or there is no room */
  }
  count_entry(generation);
  return true;
}

static __always_inline bool count_in(void *histogram, __u32 generation, const struct stack_key *key, __u64 value,
                                     __u64 samples, __u64 time_ns) {
  return add_to_row(histogram, key, value, samples) || make_row(histogram, generation, key, value, samples, time_ns);
}

static __always_inline bool has_collided(long stack_id) { return stack_id < 0 && stack_id != -EFAULT; }

static __always_inline bool take_stacks_in(void *ctx, enum walked walked, void *stacks, __u32 generation,
                                           struct stack_key *key) {
  if (walked == WALKED_NOT) key->user_stack = -EFAULT;
  key->kernel_stack = -EFAULT;
  if (record_config.user_stacks && walked == WALKED_NOT) {
    const long id = bpf_get_stackid(ctx, stacks, BPF_F_USER_STACK);
    if (has_collided(id)) return false;
    key->user_stack = id < 0 ? (__s32)id : (__s32)(id | generation << PROFILE_STACK_GENERATION_SHIFT);
  }
  if (record_config.kernel_stacks && IS_IN_KERNEL(ctx)) {
    const long id = bpf_get_stackid(ctx, stacks, 0);
    if (has_collided(id)) return false;
    key->kernel_stack = id < 0 ? (__s32)id : (__s32)(id | generation << PROFILE_STACK_GENERATION_SHIFT);
  }
  return true;
}

/* Puts the current task's stacks into the stack map, except a user stack that was walked. False: a stack collided with
 * another. */
static __always_inline bool take_others(void *ctx, enum walked walked, __u32 generation, struct stack_key *key) {
  return generation == 0 ? take_stacks_in(ctx, walked, &stacks_0, 0, key)
                         : take_stacks_in(ctx, walked, &stacks_1, 1, key);
}

/* Puts the sample into the histogram, or into `unfinished`. A row says that its stack was sent, because only samples
 * like this one make rows with its key. Returns the account's slot; ACCOUNT_TAKEN: the sample must be sent whole. */
static __always_inline enum account_slot put_in_maps(void *ctx, enum walked walked, struct walk *held, void *stacks,
                                                     void *histogram, __u32 generation, struct stack_key *key,
                                                     __u64 value) {
  const bool has_stacks = take_stacks_in(ctx, walked, stacks, generation, key);
  if (has_stacks && walked != WALKED_UNFINISHED && add_to_row(histogram, key, value, 1)) return ACCOUNT_IN_MAP;
  if (is_held(walked) && !send_walked(held, generation, key)) return ACCOUNT_LOST_RING_FULL;
  if (!has_stacks) return ACCOUNT_TAKEN;
  if (walked == WALKED_UNFINISHED && keep_unfinished(held, generation, key, value)) return ACCOUNT_IN_RING;
  return make_row(histogram, generation, key, value, 1, bpf_ktime_get_ns()) ? ACCOUNT_IN_MAP : ACCOUNT_TAKEN;
}

/* Puts the sample into the histogram or a ring buffer. Returns the account's slot that says which, or that the sample
 * is lost. */
static __always_inline enum account_slot put(void *ctx, enum walked walked, struct walk *held, struct sample *sample,
                                             __u64 value) {
  const __u32 generation = sample->generation;
  if (walked == WALKED_LOST) return ACCOUNT_LOST_RING_FULL;
  if (!record_config.each_sample) {
    const enum account_slot slot =
        generation == 0 ? put_in_maps(ctx, walked, held, &stacks_0, &histogram_0, 0, &sample->key, value)
                        : put_in_maps(ctx, walked, held, &stacks_1, &histogram_1, 1, &sample->key, value);
    if (slot != ACCOUNT_TAKEN) return slot;
  } else if (walked == WALKED_UNFINISHED && take_others(ctx, walked, generation, &sample->key) &&
             keep_unfinished(held, generation, &sample->key, value)) {
    return ACCOUNT_IN_RING;
  }
  return send_with(ctx, walked, RING_SAMPLE, 0, generation, &sample->key, bpf_ktime_get_ns(), value)
             ? ACCOUNT_IN_RING
             : ACCOUNT_LOST_RING_FULL;
}

/* Ends a sample that has begun: counts it with the weight `value` in the source's unit. */
static __always_inline int end_sample(void *ctx, struct sample *sample, __u64 value) {
  bump(sample->account, ACCOUNT_TAKEN);
  struct walk *held = NULL;
  const enum walked walked = decide_user_stack(sample->generation, &sample->key, &held);
  const enum account_slot slot = put(ctx, walked, held, sample, value);
  if (held) give_walk(held);
  bump(sample->account, slot);
  return 0;
}

/* Records one sample of the current task with the weight `value` in the source's unit. */
static __always_inline int record(void *ctx, __u64 value) {
  struct sample sample;
  if (!begin_sample(&sample)) return 0;
  return end_sample(ctx, &sample, value);
}

#endif
