/* The interface between bpf/kernel_names.bpf.c and user space: the names of kernel addresses. */
#ifndef PROFILE_ABI_KERNEL_NAMES_H
#define PROFILE_ABI_KERNEL_NAMES_H

#include <linux/types.h>

/* The most questions at one time. */
#define KERNEL_QUESTIONS 128
/* "name+0xoffset/0xsize [module]": a name has at most 511 bytes, the name of a module at most 55. */
#define KERNEL_ANSWER_BYTES 632

struct kernel_question {
  __u64 address; /* 0: the questions end before this one */
  char answer[KERNEL_ANSWER_BYTES];
};

#endif
