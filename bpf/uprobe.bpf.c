/* The source uprobe:FILE:SYMBOL. The program runs each time a thread reaches that place in a file, and records the
 * thread. Built twice: see PROFILE_LEAN in record.bpf.h. */
#define PROFILE_PREEMPTIBLE
#include "abi/uprobe.h"
#include "record.bpf.h"
/* This header needs the types above. */
#include "probe.bpf.h"
#ifndef PROFILE_LEAN
#include "follow.bpf.h"
#endif

SEC(".rodata.uprobe") const volatile struct uprobe_config config = {};
SEC(".data.uprobe") struct uprobe_state state = {};

static __always_inline int record_hit(struct probe_registers *registers, bool every) {
  struct sample sample;
  keep_stack_of_task(registers);
  if (!begin_sample(&sample)) return 0;
  if (!every) {
    const __u64 before = __sync_fetch_and_add(&state.hits, 1);
    if ((before + 1) % config.period) return 0; /* the next sample counts this hit too */
  }
  /* The chain of frame pointers does not hold the caller yet. */
  if (config.at_entry && record_config.user_stacks) sample.key.caller = return_address(registers, config.narrow);
  return end_sample(registers, &sample, every ? 1 : config.period);
}

SEC("uprobe")
int on_hit(struct probe_registers *registers) { return record_hit(registers, true); }

/* With a period. A separate program, because the result of an atomic addition needs Linux 5.12. All CPUs share one
 * count: the kernel may take the CPU from a program here, and a hit costs far more than the count. */
SEC("uprobe")
int on_counted_hit(struct probe_registers *registers) { return record_hit(registers, false); }

char LICENSE[] SEC("license") = "Dual BSD/GPL";
