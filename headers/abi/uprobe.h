/* The interface between bpf/uprobe.bpf.c and user space. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_UPROBE_H
#define PROFILE_ABI_UPROBE_H

#include "abi/record.h"

/* Constant once the programs are loaded. */
struct uprobe_config {
  __u64 period;  /* one sample for so many hits, with the weight of all of them */
  __u8 at_entry; /* the probe is at the first instruction of a function */
  __u8 narrow;   /* the program is 32-bit */
  __u8 padding[6];
};

struct uprobe_state {
  __u64 hits; /* hits that passed the filters */
};

PROFILE_ABI_ASSERT(sizeof(struct uprobe_config) == 16, "uprobe_config");
PROFILE_ABI_ASSERT(sizeof(struct uprobe_state) == 8, "uprobe_state");

#endif
