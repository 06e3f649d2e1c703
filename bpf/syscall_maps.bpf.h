/* The maps and constants of the source `syscalls`: the counters of each CPU, the tables by process and by result, and
 * the calls under way. */
#ifndef PROFILE_SYSCALL_MAPS_BPF_H
#define PROFILE_SYSCALL_MAPS_BPF_H

#include "abi/syscalls.h"
#include "record.bpf.h"

SEC(".rodata.syscalls") const volatile struct syscalls_config config = {};
SEC(".rodata.marks") const volatile __u8 call_marks[PROFILE_SYSCALLS] = {}; /* bits of enum call_mark */
SEC(".data.syscalls") struct syscalls_state state = {};

/* By CPU. User space reads it through a mapping. */
MAP(counts, ARRAY, BPF_F_MMAPABLE, __u32, struct syscall_counts, SET_BY_USER_SPACE);

/* The kernel allocates rows on demand. That is safe here: at a system call the thread holds nothing that the allocator
 * may need. */
MAP(uses, HASH, BPF_F_NO_PREALLOC, struct syscall_key, struct syscall_use, SET_BY_USER_SPACE);
MAP(results, HASH, BPF_F_NO_PREALLOC, struct syscall_key, struct syscall_result, SET_BY_USER_SPACE);
MAP(failures, HASH, BPF_F_NO_PREALLOC, struct syscall_key, __u64, SET_BY_USER_SPACE);

/* All zeros: the first value of a row of `results`, which is too large for the BPF stack. */
MAP(no_result, ARRAY, 0, __u32, struct syscall_result, 1);

MAP(spans, HASH, BPF_F_NO_PREALLOC, __u32, struct syscall_under_way, SET_BY_USER_SPACE);

/* The system call number that has taken a place from PROFILE_SYSCALL_ODD on. The key is the call: ABI and place. */
MAP(odd_numbers, HASH, 0, __u32, __u32, SYSCALL_ABIS *PROFILE_SYSCALL_ODD_PLACES);

static __always_inline struct syscall_counts *own_counts(void) {
  const __u32 cpu = bpf_get_smp_processor_id();
  return bpf_map_lookup_elem(&counts, &cpu);
}

static __always_inline struct syscall_key key_of(__u32 tgid, __u32 call) {
  return (struct syscall_key){
      .tgid = config.by_process ? tgid : 0,
      .call = call,
      .cpu = bpf_get_smp_processor_id(),
      .generation = *(volatile __u32 *)&state.generation,
  };
}

/* Makes a row of `table`. False when there is no room. */
static __always_inline bool add_row(void *table, const struct syscall_key *key, const void *value) {
  if (bpf_map_update_elem(table, key, value, BPF_NOEXIST)) return false;
  __sync_fetch_and_add(&state.rows, 1);
  return true;
}

#endif
