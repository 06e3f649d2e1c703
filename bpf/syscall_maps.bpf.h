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
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, struct syscall_counts);
  __uint(max_entries, 1); /* set by user space */
} counts SEC(".maps");

/* The kernel allocates rows on demand. That is safe here: at a system call the thread holds nothing that the allocator
 * may need. */
#define SYSCALL_TABLE(name, value_type)   \
  struct {                                \
    __uint(type, BPF_MAP_TYPE_HASH);      \
    __uint(map_flags, BPF_F_NO_PREALLOC); \
    __type(key, struct syscall_key);      \
    __type(value, value_type);            \
    __uint(max_entries, 65536); /* set */ \
  } name SEC(".maps")

SYSCALL_TABLE(uses, struct syscall_use);
SYSCALL_TABLE(results, struct syscall_result);
SYSCALL_TABLE(failures, __u64);

/* All zeros: the first value of a row of `results`, which is too large for the BPF stack. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __type(key, __u32);
  __type(value, struct syscall_result);
  __uint(max_entries, 1);
} no_result SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, __u32);
  __type(value, struct syscall_under_way);
  __uint(max_entries, 65536); /* set by user space */
} spans SEC(".maps");

/* The system call number that has taken a place from PROFILE_SYSCALL_ODD on. The key is the call: ABI and place. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __type(key, __u32);
  __type(value, __u32);
  __uint(max_entries, SYSCALL_ABIS *PROFILE_SYSCALL_ODD_PLACES);
} odd_numbers SEC(".maps");

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
