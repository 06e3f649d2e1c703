/* What frame.bpf.h knows of a frame besides struct walk: here for the kernel side, and for user space, which finishes
 * walks by the same code (src/sampling/finish_walk.cpp). */
#ifndef PROFILE_FRAME_TYPES_BPF_H
#define PROFILE_FRAME_TYPES_BPF_H

#include "abi/walk.h"

#ifdef __TARGET_ARCH_x86
#define REGISTERS 16
#define REGISTER_EXTRA 3 /* rbx */
#define REGISTER_FP 6
#define REGISTER_SP 7
#else
#define REGISTERS 32
#define REGISTER_EXTRA 30 /* the link register */
#define REGISTER_FP 29
#define REGISTER_SP 31
#endif

#define MAPPINGS 8
/* Nothing is mapped below; what a chain leads to there is its end. */
#define LOWEST_CODE 4096

enum mapping_kind {
  MAPPING_PLAIN,   /* no file, or one without a table */
  MAPPING_TABLE,   /* by the table */
  MAPPING_PENDING, /* its table is asked for */
};

struct walk_mapping {
  __u64 start;
  __u64 bytes;
  __u64 bias; /* of an address, to be its place in the file */
  __u32 kind; /* enum mapping_kind */
  __u32 first_page;
  __u32 pages;
  __u32 pages_at;
  __u32 rules_at;
  __u32 is_vdso;
};

/* What came of looking for a mapping. */
enum found {
  FOUND,
  FOUND_NOTHING,
  FOUND_TORN, /* it changed while it was read */
};

#endif
