/* How system calls end: durations and failures, added up in rows of each CPU. */
#ifndef PROFILE_SYSCALL_RESULTS_BPF_H
#define PROFILE_SYSCALL_RESULTS_BPF_H

#include "log2_bucket.bpf.h"
#include "syscall_maps.bpf.h"

#define LAST_ERRNO 4095
/* Only inside the kernel: the call was interrupted and may restart. Programs see EINTR, if anything. */
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

static __always_inline struct syscall_result *result_of(const struct syscall_key *key) {
  struct syscall_result *result = bpf_map_lookup_elem(&results, key);
  if (result) return result;
  const __u32 zero = 0;
  const struct syscall_result *fresh = bpf_map_lookup_elem(&no_result, &zero);
  if (!fresh) return NULL;
  if (!add_row(&results, key, fresh)) return NULL;
  return bpf_map_lookup_elem(&results, key);
}

/* The errno in a system call's return value. 0: the call did not fail. */
static __always_inline __u32 errno_of(long answer) {
  if (answer >= 0 || answer < -LAST_ERRNO) return 0;
  const __u32 error = (__u32)-answer;
  switch (error) {
    case ERESTARTSYS:
    case ERESTARTNOINTR:
    case ERESTARTNOHAND:
    case ERESTART_RESTARTBLOCK:
      return EINTR;
    default:
      return error;
  }
}

/* These rows are by process in any case, because the table says who fails most. It is the same lookup. */
static __always_inline void count_failure(struct syscall_counts *own, const struct syscall_key *of, __u32 tgid,
                                          __u32 error) {
  struct syscall_key key = *of;
  key.tgid = tgid;
  key.error = error;
  __u64 *times = bpf_map_lookup_elem(&failures, &key);
  if (times) {
    (*times)++;
    return;
  }
  const __u64 once = 1;
  if (!add_row(&failures, &key, &once)) own->unlisted_errors++;
}

static __always_inline void count_duration(struct syscall_result *result, __u64 took_ns) {
  result->total_ns += took_ns;
  if (result->returned == 0 || took_ns < result->min_ns) result->min_ns = took_ns;
  if (took_ns > result->max_ns) result->max_ns = took_ns;
  result->histogram[log2_bucket_of(took_ns, PROFILE_SYSCALL_BUCKETS)]++;
}

/* Counts the end of the current thread's call, which began at `place`. */
static __always_inline void end_call(const struct syscall_under_way *place, __u64 now_ns, long answer) {
  if (record_config.no_tables) return;
  struct syscall_counts *own = own_counts();
  if (!own) return;
  const struct syscall_key key = key_of(place->tgid, place->call);
  struct syscall_result *result = result_of(&key);
  if (!result) {
    own->unmeasured++;
    return;
  }
  if (config.latency) count_duration(result, now_ns - place->began_ns);
  result->returned++;
  const __u32 error = config.failed ? errno_of(answer) : 0;
  if (error) {
    result->failed++;
    count_failure(own, &key, place->tgid, error);
  }
}

#endif
