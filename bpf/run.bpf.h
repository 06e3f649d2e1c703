/* What all programs of a run share: its constants, its state, the ring buffer to user space, and the account. */
#ifndef PROFILE_RUN_BPF_H
#define PROFILE_RUN_BPF_H

#include "abi/record.h"
#include "map.bpf.h"

SEC(".rodata.record") const volatile struct record_config record_config = {};
SEC(".data.record") struct record_state record_state = {};

/* Programs on user probes define PROFILE_PREEMPTIBLE. Since 5.18 or so another task's program may interrupt them on the
 * same CPU, so each CPU has several buffers, and several walks. */
#ifdef PROFILE_PREEMPTIBLE
#define PROGRAMS_AT_ONCE 4
#else
#define PROGRAMS_AT_ONCE 1
#endif

/* Sizes marked "set" or "set by user space" depend on the options and on the machine. */

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 1 << 18); /* set by user space */
} ring SEC(".maps");

/* Index: generation * cpus + CPU. User space reads it through a mapping, without a system call. */
MAP(accounts, ARRAY, BPF_F_MMAPABLE, __u32, struct cpu_account, SET_BY_USER_SPACE);

/* The flags of an output to the ring buffer. Who reads each sample looks every few milliseconds anyway, and is woken
 * only when the ring is more than a quarter full. */
static __always_inline __u64 ring_wakeup(void) {
  if (!record_config.each_sample) return 0;
  return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > record_config.ring_quarter ? BPF_RB_FORCE_WAKEUP
                                                                                  : BPF_RB_NO_WAKEUP;
}

/* Atomic, because one program may interrupt another on the same CPU. */
static __always_inline void bump(struct cpu_account *account, enum account_slot slot) {
  __sync_fetch_and_add(&account->slot[slot], 1);
}

static __always_inline bool is_paused(void) { return *(volatile __u64 *)&record_state.paused_ns != 0; }

static __always_inline struct cpu_account *account_of(__u32 generation) {
  const __u32 index = generation * record_config.cpus + bpf_get_smp_processor_id();
  return bpf_map_lookup_elem(&accounts, &index); /* sized for all possible CPUs */
}

static __always_inline __u32 current_drain(void) { return *(volatile __u32 *)&record_state.drain_count; }
static __always_inline __u32 current_generation(void) { return current_drain() & 1; }

/* Asks user space, once in a generation, to drain it. */
static __always_inline void tell_half_full(__u32 generation) {
  if (record_state.half_full_sent[generation & 1]) return;
  record_state.half_full_sent[generation & 1] = 1; /* two CPUs at the same time may send it twice */
  struct ring_header header = {.type = RING_HALF_FULL, .generation = generation};
  bpf_ringbuf_output(&ring, &header, sizeof(header), BPF_RB_FORCE_WAKEUP);
}

#endif
