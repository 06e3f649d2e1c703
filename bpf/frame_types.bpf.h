/* The constants and types of a walk, besides struct walk. User space includes this file too, because it
 * finishes walks with the same code (src/sampling/finish_walk.cpp). */
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

/* The mappings that a CPU remembers of one address space, and the address spaces that it remembers. */
#define MAPPINGS 32
#define SPACES_BITS 3
#define SPACES (1 << SPACES_BITS)
#define HINTS_BITS 8
#define HINTS (1 << HINTS_BITS)
/* No code lies below this address. A chain of frame pointers that leads there has ended. */
#define LOWEST_CODE 4096

enum mapping_kind {
  MAPPING_PLAIN,   /* no file, or a file without a table */
  MAPPING_TABLE,   /* a file with a table */
  MAPPING_PENDING, /* a file whose table has not come yet */
};

struct walk_mapping {
  __u64 start;
  __u64 bytes;
  __u64 bias; /* address - bias is the offset in the file */
  /* A secret hash of the file and the bias. 0 without a file. */
  __u64 identity;
  __u32 kind; /* enum mapping_kind */
  __u32 first_page;
  __u32 pages;
  __u32 pages_at;
  __u32 rules_at;
  __u32 is_vdso;
};

/* An address space whose mappings this CPU remembers: see known_spaces.bpf.h. They are valid only for a walk whose
 * members from `mm` to `epoch` are the same. */
struct walk_space {
  __u64 mm;
  __u64 sequence; /* changes when a mapping changes */
  __u64 start_stack;
  __u32 exec_id;
  __u32 tgid;
  __u32 epoch; /* walk_state::epoch */
  __u32 count; /* of its mappings */
  __u32 turn;  /* the next one to overwrite */
  /* For a page of code, by a hash of its address: the mapping that probably holds it. */
  __u8 hints[HINTS];
  struct walk_mapping mappings[MAPPINGS];
};

#define WINDOW_WORDS 64 /* a power of two */
#define KNOWN_CODES_BITS 10
#define KNOWN_CODES (1 << KNOWN_CODES_BITS)

/* The code of the row for one place in the tables: see known_codes.bpf.h. */
struct known_code {
  __u64 place;
  __u32 code;
  __u32 epoch; /* walk_state::epoch at that time */
};

/* The result of a search for a mapping. */
enum found {
  FOUND,
  FOUND_NOTHING,
  FOUND_TORN, /* the mapping changed while it was read */
};

#endif
