/* What bpf/block_io.bpf.c and its user side say to each other. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_BLOCK_IO_H
#define PROFILE_ABI_BLOCK_IO_H

#include "abi/durations.h"

#define PROFILE_DISK_NAME_BYTES 32

/* A request on its way; the value of the map `spans`, whose key is the address of its structure. */
struct block_request {
  struct span span;
  __u64 began_ns; /* handed to the device; span.start_ns is later when a report has cut it. 0: not yet */
  __u64 bytes;
  __u32 tag;
  __u32 padding;
};

/* What a sample's tag and a row's durations_key::what stand for: the disk's number << 8 | operation, + 1. */
#define PROFILE_BLOCK_DISK_SHIFT 8
#define PROFILE_BLOCK_OPERATION_MASK 0xff
#define PROFILE_MOST_DISKS 4096

/* Key of the map `disks`, whose value is the disk's number, a __u64, from 1 on; 0: of one that is not in it. */
struct disk_key {
  char name[PROFILE_DISK_NAME_BYTES]; /* as in /sys/block; empty: the queue has no disk */
};

struct block_io_state {
  __u64 disks; /* numbered so far */
};

PROFILE_ABI_ASSERT(sizeof(struct block_request) == 88, "block_request");
PROFILE_ABI_ASSERT(sizeof(struct disk_key) == 32, "disk_key");
PROFILE_ABI_ASSERT(sizeof(struct block_io_state) == 8, "block_io_state");

#endif
