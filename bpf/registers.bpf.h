/* Takes the registers of the innermost frame from where the kernel has saved them. */
#ifndef PROFILE_REGISTERS_BPF_H
#define PROFILE_REGISTERS_BPF_H

#include "walk_host.bpf.h"

enum begun {
  BEGUN,
  BEGUN_IN_EXEC, /* the registers are those of a program that is gone */
  NO_USER_STACK,
  NOT_WALKED, /* 32-bit code: the kernel walks it itself */
};

/* Where struct pt_regs has the registers, in words. */
#ifdef __TARGET_ARCH_x86
enum { WORD_EXTRA = 5, WORD_FP = 4, WORD_PC = 16, WORD_MODE = 17, WORD_SP = 19 };
#else
enum { WORD_EXTRA = 30, WORD_FP = 29, WORD_PC = 32, WORD_MODE = 33, WORD_SP = 31 };
#endif

/* Begins with the registers of a task's last entry into the kernel, if it came from user space. */
static __always_inline enum begun begin_with(struct walk *walk, const volatile __u64 *words) {
  const __u32 mode = *(const volatile __u16 *)&words[WORD_MODE]; /* with FRED there are other bits above it */
  const __u64 pc = words[WORD_PC];
  if (!pc) return NO_USER_STACK;
#ifdef __TARGET_ARCH_x86
  if ((mode & 3) != 3) return NO_USER_STACK;
  if (mode == 0x23) return NOT_WALKED;
#else
  if (mode & 0x1f) return mode & 0x10 ? NOT_WALKED : NO_USER_STACK; /* 32-bit code; not user space (EL0) */
#endif
  walk->pc = pc;
  walk->sp = words[WORD_SP];
  walk->fp = words[WORD_FP];
  walk->extra = words[WORD_EXTRA];
  walk->are_named = 0;
  return BEGUN;
}

/* Begins with the registers at the kernel address `from`. */
static __always_inline enum begun read_registers(struct walk *walk, __u64 from) {
  walk->registers_at = from;
  if (bpf_probe_read_kernel(walk->raw, RAW_WORDS * sizeof(__u64), (void *)from)) return NO_USER_STACK;
  return begin_with(walk, walk->raw);
}

/* Few walks need more registers than those of begin_with(). */
__noinline int name_registers(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return -EFAULT;
  if (walk->are_named) return 0;
  __u64 *named = walk->innermost;
  const __u64 *raw = walk->raw;
  if (bpf_probe_read_kernel(walk->raw, RAW_WORDS * sizeof(__u64), (void *)walk->registers_at)) return -EFAULT;
#ifdef __TARGET_ARCH_x86
  named[0] = raw[10];
  named[1] = raw[12];
  named[2] = raw[11];
  named[3] = raw[5];
  named[4] = raw[13];
  named[5] = raw[14];
  named[6] = raw[4];
  named[7] = raw[19];
  named[8] = raw[9];
  named[9] = raw[8];
  named[10] = raw[7];
  named[11] = raw[6];
  named[12] = raw[3];
  named[13] = raw[2];
  named[14] = raw[1];
  named[15] = raw[0];
#else
  __builtin_memcpy(named, raw, sizeof(walk->innermost));
#endif
  walk->are_named = 1;
  return 0;
}

#endif
