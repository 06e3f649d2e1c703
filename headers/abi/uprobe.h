/* What bpf/uprobe.bpf.c and its user side say to each other. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_UPROBE_H
#define PROFILE_ABI_UPROBE_H

#include "abi/record.h"

/* Constant once the programs are loaded. */
struct uprobe_config {
  __u64 period;  /* every so many hits one is a sample with the weight of all of them */
  __u8 at_entry; /* at the first instruction of a function */
  __u8 narrow;   /* of a 32-bit program */
  __u8 padding[6];
};

struct uprobe_state {
  __u64 hits; /* that were asked for */
};

PROFILE_ABI_ASSERT(sizeof(struct uprobe_config) == 16, "uprobe_config");
PROFILE_ABI_ASSERT(sizeof(struct uprobe_state) == 8, "uprobe_state");

#endif
