/* The filters: whose samples are wanted. User space sets the constants before it loads the programs, so the verifier
 * removes the filters that are off. */
#ifndef PROFILE_FILTERS_BPF_H
#define PROFILE_FILTERS_BPF_H

#include "run.bpf.h"
#ifndef PROFILE_LEAN
#include "tasks.bpf.h"
#endif

SEC(".rodata.cpus") const volatile __u64 wanted_cpus[PROFILE_MAX_CPUS / 64] = {};
SEC(".rodata.names") const volatile struct wanted_names wanted_names = {};

/* The tgids or tids that the user chose, with the value 0, or the tgids of the command and its descendants.
 * follow.bpf.h explains their value. */
MAP(targets, HASH, 0, __u32, __u64, SET_BY_USER_SPACE);

struct {
  __uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(__u32));
  __uint(max_entries, 1);
} wanted_cgroup SEC(".maps");

/* User space puts the user's pinned maps in the place of these two. */
MAP(cgroup_map, HASH, 0, __u64, __u32, 1);

MAP(mntns_map, HASH, 0, __u64, __u32, 1);

static __always_inline bool is_wanted_cpu(__u32 cpu) {
  if (!record_config.filter_cpu) return true;
  cpu &= PROFILE_MAX_CPUS - 1;
  return wanted_cpus[cpu / 64] >> (cpu % 64) & 1;
}

/* Whether the user asked for threads of this name. Unrolled, so that the verifier sees only constants and removes what
 * is off. */
static __always_inline bool is_wanted_name(const __u64 name[PROFILE_COMM_BYTES / 8]) {
#pragma unroll
  for (__u32 i = 0; i < PROFILE_MOST_NAMES; i++) {
    const volatile struct name_pattern *pattern = &wanted_names.patterns[i];
    if (i < wanted_names.count && (name[0] & pattern->mask[0]) == pattern->value[0] &&
        (name[1] & pattern->mask[1]) == pattern->value[1]) {
      return true;
    }
  }
  return false;
}

static __always_inline bool is_wanted_current_name(void) {
  __u64 name[PROFILE_COMM_BYTES / 8] = {}; /* some kernels do not fill the rest with zeros */
  bpf_get_current_comm(name, sizeof(name));
  return is_wanted_name(name);
}

/* Whether `tgid` is a process of the profiler. Unrolled, so that it is a few comparisons. */
static __always_inline bool is_own(__u32 tgid) {
  const volatile __u32 *own = record_state.own_tgids;
#pragma unroll
  for (__u32 i = 0; i < PROFILE_MOST_OWN; i++) {
    const __u32 one = own[i];
    if (one == 0) return false;
    if (one == tgid) return true;
  }
  return false;
}

/* Whether the filters let the current task on this CPU pass. The ids are those in the profiler's pid namespace. */
static __always_inline bool is_wanted(__u32 tgid, __u32 tid) {
  if (!is_wanted_cpu(bpf_get_smp_processor_id())) return false;
  if (record_config.without_self && is_own(tgid)) return false;
  if (record_config.target_filter != TARGET_ALL) {
    __u32 id = record_config.target_filter == TARGET_TIDS ? tid : tgid;
    if (record_config.target_filter == TARGET_FOLLOWED) id = bpf_get_current_pid_tgid() >> 32;
    if (!bpf_map_lookup_elem(&targets, &id)) return false;
  }
  if (wanted_names.count && !is_wanted_current_name()) return false;
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

#endif
