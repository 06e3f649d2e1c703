/* What user space and bpf/kernel_names.bpf.c say to each other of the kernel's names. */
#ifndef PROFILE_ABI_KERNEL_NAMES_H
#define PROFILE_ABI_KERNEL_NAMES_H

#include <linux/types.h>

/* Asked at one time. */
#define KERNEL_QUESTIONS 128
/* "name+0xoffset/0xsize [module]": a name has 511 bytes at most, a module's 55. */
#define KERNEL_ANSWER_BYTES 632

struct kernel_question {
  __u64 address; /* 0: this one and those behind it ask nothing */
  char answer[KERNEL_ANSWER_BYTES];
};

#endif
