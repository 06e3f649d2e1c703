/* The registers that a program finds at the first instruction of a user function, as user space's own header of the
 * architecture lays them out. The kernel's struct pt_regs may stand beside it under the same name. All is for 64-bit
 * programs only, except the return address. */
#ifndef PROFILE_PROBE_BPF_H
#define PROFILE_PROBE_BPF_H

#define pt_regs pt_regs_of_user_space
#include <asm/ptrace.h>
#undef pt_regs

#include "record.bpf.h"
#ifndef PROFILE_LEAN
#include <bpf/bpf_core_read.h>
#endif

struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(__u32));
} no_programs SEC(".maps");

/* Every program on a probe must call this. Since Linux 6.13 a program has its own stack on each CPU, and a task that
 * takes the CPU from another task's probe would overwrite it. A program with a tail call has no such stack, so here is
 * a tail call that never runs. */
static __always_inline void keep_stack_of_task(void *ctx) {
  if (record_config.cpus == 0) bpf_tail_call(ctx, &no_programs, 0);
}

#ifdef __TARGET_ARCH_x86
struct probe_registers {
  struct pt_regs_of_user_space at;
};
#define PROBE_IP(registers) ((registers)->at.rip)
#define PROBE_SP(registers) ((registers)->at.rsp)
#define PROBE_ARGUMENT_1(registers) ((registers)->at.rdi)
#define PROBE_ARGUMENT_2(registers) ((registers)->at.rsi)
#define PROBE_ARGUMENT_3(registers) ((registers)->at.rdx)
#define PROBE_RESULT(registers) ((registers)->at.rax)
/* Bytes of the stack that the return address takes. */
#define PROBE_RETURN_BYTES 8
#else
struct probe_registers {
  struct user_pt_regs at;
};
#define PROBE_IP(registers) ((registers)->at.pc)
#define PROBE_SP(registers) ((registers)->at.sp)
#define PROBE_ARGUMENT_1(registers) ((registers)->at.regs[0])
#define PROBE_ARGUMENT_2(registers) ((registers)->at.regs[1])
#define PROBE_ARGUMENT_3(registers) ((registers)->at.regs[2])
#define PROBE_RESULT(registers) ((registers)->at.regs[0])
#define PROBE_RETURN_BYTES 0
#endif

/* The word in the place of the return address, at a function's first instruction. 0: it cannot be read, or the program
 * is 32-bit on arm64. */
static __always_inline __u64 word_of_return(const struct probe_registers *registers, bool narrow) {
#ifdef __TARGET_ARCH_x86
  __u64 back = 0;
  if (narrow) {
    __u32 half = 0;
    if (bpf_probe_read_user(&half, sizeof(half), (void *)PROBE_SP(registers))) return 0;
    return half;
  }
  if (bpf_probe_read_user(&back, sizeof(back), (void *)PROBE_SP(registers))) return 0;
  return back;
#else
  return narrow ? 0 : registers->at.regs[30];
#endif
}

/* The return address. A return probe (ours or another tool's) may have put its own address in the place: then the
 * address that it saved. That happens in a function to which a function with such a probe jumped. */
static __always_inline __u64 return_address(const struct probe_registers *registers, bool narrow) {
  const __u64 back = word_of_return(registers, narrow);
#ifndef PROFILE_LEAN
  const struct task_struct *task = (const struct task_struct *)bpf_get_current_task();
  if (!bpf_core_field_exists(task->utask->return_instances->orig_ret_vaddr)) return back;
  const struct return_instance *latest = BPF_CORE_READ(task, utask, return_instances);
  if (!latest || back != BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr)) return back;
  if (BPF_CORE_READ(latest, stack) == PROBE_SP(registers)) return BPF_CORE_READ(latest, orig_ret_vaddr);
#endif
  return back;
}

#endif
