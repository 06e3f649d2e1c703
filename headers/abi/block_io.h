/* The interface between bpf/block_io.bpf.c and user space. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_BLOCK_IO_H
#define PROFILE_ABI_BLOCK_IO_H

#include "abi/durations.h"

#define PROFILE_DISK_NAME_BYTES 32

/* A request under way: a value of the map `spans`. The key is the address of the kernel's request structure. */
struct block_request {
  struct span span;
  __u64 began_ns; /* when the device got it; 0: not yet. span.start_ns is later if a report has cut it */
  __u64 bytes;
  __u32 tag;
  __u32 padding;
};

/* A sample's tag, and durations_key::what of a row: (number of the disk << 8 | operation) + 1. */
#define PROFILE_BLOCK_DISK_SHIFT 8
#define PROFILE_BLOCK_OPERATION_MASK 0xff
#define PROFILE_MOST_DISKS 4096

/* Key of the map `disks`. The value is the disk's number, a __u64, from 1 on; 0 stands for disks that are not in it. */
struct disk_key {
  char name[PROFILE_DISK_NAME_BYTES]; /* as in /sys/block; empty: the queue has no disk */
};

struct block_io_state {
  __u64 disks; /* disks numbered so far */
};

PROFILE_ABI_ASSERT(sizeof(struct block_request) == 88, "block_request");
PROFILE_ABI_ASSERT(sizeof(struct disk_key) == 32, "disk_key");
PROFILE_ABI_ASSERT(sizeof(struct block_io_state) == 8, "block_io_state");

#endif
