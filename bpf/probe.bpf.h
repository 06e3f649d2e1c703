/* What a program at the first instruction of a user function finds in its registers, as user space's own header of the
 * architecture lays them out (that of the kernel may stand beside it under the same name). Only of 64-bit programs, but
 * for the return address. */
#ifndef PROFILE_PROBE_BPF_H
#define PROFILE_PROBE_BPF_H

#define pt_regs pt_regs_of_user_space
#include <asm/ptrace.h>
#undef pt_regs

#include "record.bpf.h"

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
/* What the return address takes of the stack. */
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

/* Where the function returns to that is just being entered; 0 when that cannot be read. `narrow`: a 32-bit program. */
static __always_inline __u64 return_address(const struct probe_registers *registers, bool narrow) {
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

#endif
