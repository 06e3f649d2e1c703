/* A thread runs a probed instruction in a copy of it, which lies in an area that the kernel has made for that.
 * Return probes put the address of a trampoline in the place of a return address. The kernel keeps the real ones in a
 * list of the task. */
#ifndef PROFILE_RETURN_PROBES_BPF_H
#define PROFILE_RETURN_PROBES_BPF_H

#include "layout.bpf.h"
#include "walk_host.bpf.h"

#define PROBE_AREA_BYTES 4096
#define PROBE_INSTRUCTION_BYTES 16

/* Puts the place of the probed instruction into walk->pc if the thread runs its copy. */
static __always_inline void leave_copy(struct walk *walk, __u64 probes) {
  __u64 copy = 0, instruction = 0;
  if (!layout.probes_copy || walk->pc - walk->probe_area >= PROBE_AREA_BYTES) return;
  if (READ_AT(copy, probes, probes_copy) || READ_AT(instruction, probes, probes_instruction)) return;
  if (walk->pc - copy <= PROBE_INSTRUCTION_BYTES) walk->pc += instruction - copy;
}

static __always_inline void begin_probes(struct walk *walk, const char *task, const char *mm) {
  __u64 area = 0, probes = 0;
  walk->probe_area = 0;
  walk->probe_return = 0;
  if (!layout.task_probes) return;
  if (TAKE_AT(area, mm, mm_probe_area) || !area) return;
  if (READ_AT(probes, task, task_probes) || !probes) return;
  if (READ_AT(walk->probe_return, probes, probes_returns)) return;
  READ_AT(walk->probe_area, area, probe_area_start);
  leave_copy(walk, probes);
}

/* A struct return_instance lies in its first words. */
#define RETURN_WORDS 8

__noinline int real_return(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return 0;
  const __u64 *stack = &walk->node[layout.return_stack / 8 & (RETURN_WORDS - 1)];
  const __u64 *address = &walk->node[layout.return_address / 8 & (RETURN_WORDS - 1)];
  const __u64 *next = &walk->node[layout.return_next / 8 & (RETURN_WORDS - 1)];
  walk->entry = walk->probe_return;
  for (int i = 0; i < 64 && walk->entry; i++) {
    if (bpf_probe_read_kernel(walk->node, RETURN_WORDS * sizeof(__u64), (void *)walk->entry)) return 0;
    if (*stack == walk->entry_sp && *address != walk->probe_area) {
      walk->pc = *address;
      walk->probe_return = walk->entry;
      return 0;
    }
    walk->entry = *next;
  }
  return 0;
}

#endif
