/* What the walk of user stacks (bpf/walk.bpf.h) and user space say to each other: where the tables of abi/unwind.h lie,
 * which files they belong to, and what came of a walk. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_WALK_H
#define PROFILE_ABI_WALK_H

#include "abi/record.h"
#include "abi/unwind.h"

/* Frames of the longest stack. */
#define WALK_MOST_FRAMES 512

/* The tables lie in one space of 32-bit byte addresses, in slabs that are made when they are needed. A table's pages,
 * rows and rules may each run on from one slab into the next; the rows of one page, a page and a rule do not. */
#define WALK_SLAB_SHIFT 20
#define WALK_SLAB_BYTES (1U << WALK_SLAB_SHIFT)
#define WALK_MOST_SLABS 1024

/* A file as the kernel knows it: all zero for the vDSO. */
struct walk_file_key {
  __u64 inode;
  __u32 device;  /* super_block::s_dev: major << 20 | minor */
  __u32 version; /* of the inode's generation, and of when its content was changed last: then it is another file */
};

enum walk_file_state {
  WALK_FILE_ASKED, /* RING_FILE was sent; there is no answer yet */
  WALK_FILE_READY, /* it has a table */
  WALK_FILE_NONE   /* it has none, and will not have one */
};

struct walk_file {
  __u32 state;      /* enum walk_file_state */
  __u32 first_page; /* of the file, counted from its first byte; the next three: in the space of slabs, and */
  __u32 pages;      /* how many */
  __u32 pages_at;   /* bytes */
  __u32 rules_at;   /* bytes */
  __u32 met;        /* how often a walk has looked it up: who is met most is answered first */
};

/* Sent once for each file of which nothing is known yet, with the mapping it was met in. */
struct ring_file {
  struct ring_header header;
  struct walk_file_key key;
  __u64 time_ns; /* CLOCK_MONOTONIC */
  __u64 start;
  __u64 end;
  __u32 tgid; /* as the person sees it */
  __u32 unused;
};

/* Why a user stack ends where it does. */
enum walk_end {
  WALK_GOES_ON,
  WALK_ROOT,         /* in the outermost frame, as its table says */
  WALK_ROOT_BY_FP,   /* where a frame pointer or a return address of 0, or the bottom of the stack, says so */
  WALK_TOO_DEEP,     /* record_config::max_depth */
  WALK_NO_TABLE_YET, /* that of a file was asked for and has not come */
  WALK_NO_CFI,       /* code without a table, and no frame pointer leads on */
  WALK_NOT_READABLE, /* a word of the stack could not be read */
  WALK_NOT_MAPPED,   /* a return address where nothing is mapped */
  WALK_NO_REGISTER,  /* the rule needs a register that is known in the innermost frame only */
  WALK_UNKNOWN_RULE, /* UNWIND_CFA_UNKNOWN */
  WALK_BACKWARDS,    /* the caller's frame would lie below its callee's */
  WALK_MAPS_CHANGED, /* the mappings changed under the walk */
  WALK_ENDS
};

/* stack_key::user_stack of a stack that was walked: this, a walk_end, whether it began with a guess, and, as with
 * others, the generation in which it was sent. */
#define WALK_STACK (1 << 29)
#define WALK_STACK_GUESSED (1 << 8)
#define WALK_STACK_END 0xff

/* Set in a frame's address that is no return address although it is not the leaf: a signal interrupted it. */
#define WALK_INTERRUPTED (1ULL << 63)
/* The address of the only frame of a task inside execve() whose old program is gone and whose new one is not there yet.
 * No user space reaches so far. */
#define WALK_IN_EXECVE (1ULL << 62)

/* A stack that was walked, sent before the first sample of a generation that has it: the frames follow, leaf first. */
struct ring_stack {
  struct ring_header header;
  __u64 hash; /* of the frames and of how it ended: stack_key::user_hash */
};

/* A frame at which a walk stood still, as the table of its file had not come: what it takes to go on from there. */
struct walk_stuck {
  __u64 pc;
  __u64 sp;
  __u64 fp;
  __u64 extra;               /* rbx; the link register on arm64 */
  struct walk_file_key file; /* whose table it is */
  __u32 depth;               /* frames up to here, this one among them; 0: the walk did not stand still */
  __u32 lost;                /* which registers are not known, as struct walk says it */
  __u32 was_interrupted;
  __u32 unused;
};

enum unfinished_of {
  UNFINISHED_SAMPLE,
  /* Worth nothing: what it takes to finish the stack of its hash, which nothing else has. */
  UNFINISHED_SPAN,
  /* The same of a thread that does not run: user space has made it up, and knows nothing but the registers. */
  UNFINISHED_BLOCKED
};

/* Such a sample, in a ring of its own, with its stack from the frame's stack pointer on: user space finishes the walk
 * once the table is there, and counts the sample then. */
#define UNFINISHED_MOST_BYTES 16384
struct ring_unfinished {
  struct ring_header header;
  __u64 time_ns;        /* CLOCK_MONOTONIC */
  __u64 value;          /* in the source's unit */
  struct stack_key key; /* with the stack as far as frame pointers led, which was sent as any other */
  struct walk_stuck stuck;
  __u64 start_stack;   /* of the process, as its kernel has it */
  __u64 caller;        /* of the leaf, as stack_key has it before the walk; 0: not known */
  __u64 innermost[32]; /* all registers of the leaf, by DWARF's numbers */
  __u32 bytes;         /* of `stack` */
  __u32 of_span;       /* enum unfinished_of */
  char stack[UNFINISHED_MOST_BYTES];
};

/* How user stacks are taken; constant once the programs are loaded. */
enum walk_mode {
  WALK_OFF,   /* by the kernel's own walk of frame pointers */
  WALK_AUTO,  /* by tables, and by frame pointers where there are none */
  WALK_TABLES /* by tables alone */
};
struct walk_config {
  __u32 mode;      /* enum walk_mode */
  __u32 depth;     /* frames, at most WALK_MOST_FRAMES */
  __u32 half_full; /* stacks sent in a generation at which RING_HALF_FULL is sent */
  __u32 unused;
  __u64 seed[2]; /* of the hash: nobody can make two stacks of one hash who does not know it */
};

enum layout_tree { LAYOUT_MAPLE_TREE, LAYOUT_RED_BLACK_TREE };
/* What says whether the mappings of an address space have changed. */
enum layout_sequence {
  LAYOUT_NO_SEQUENCE, /* 6.1 to 6.3 */
  LAYOUT_UNLOCKS,     /* an int that counts how often they were unlocked */
  LAYOUT_COUNTS,      /* a seqcount, odd while they are written */
  LAYOUT_VMACACHE     /* a u64 that counts, before 6.1 */
};

/* Written by user space while sampling. */
struct walk_state {
  __u32 sent[PROFILE_GENERATIONS]; /* stacks; counted by the kernel side, which is told when they have been drained */
  __u32 epoch; /* another one: tables have gone, and what is known of mappings is not good any more */
};

/* Where the kernel keeps what the walk reads, from its BTF; constant once the programs are loaded. Bytes from the
 * beginning of the structure that the name begins with, where nothing else is said. */
struct kernel_layout {
  __u32 tree;             /* enum layout_tree */
  __u32 sequence;         /* enum layout_sequence */
  __u32 has_task_pt_regs; /* the helper; elsewhere the registers lie at the end of the task's stack, */
  __u32 task_regs_at;     /* so many bytes from its beginning */
  __u32 page_shift;
  __u32 task_mm;
  __u32 task_stack;
  __u32 task_exec_id;
  __u32 mm_tree; /* the root of the tree */
  __u32 mm_start_stack;
  __u32 mm_sequence;
  __u32 mm_vdso;
  __u32 mm_lock;      /* the word that says who holds the lock of the mappings; 0: not known */
  __u32 mm_lock_mask; /* whose bits are set while somebody writes */
  __u32 vma_start;
  __u32 vma_end;
  __u32 vma_mm;
  __u32 vma_offset;
  __u32 vma_file;
  __u32 vma_flags;
  __u32 vma_node; /* of the red-black tree */
  __u32 file_inode;
  __u32 inode_number;
  __u32 inode_generation;
  __u32 inode_changed_s; /* its time of modification: the low word of the seconds, */
  __u32 inode_changed_ns;
  __u32 inode_super;
  __u32 super_device;
  /* Where returns lead that a probe waits for; task_probes 0: not known. */
  __u32 task_probes;      /* task_struct::utask */
  __u32 probes_returns;   /* the innermost return_instance */
  __u32 return_address;   /* of it: where it would have led, */
  __u32 return_stack;     /* the stack pointer when the function was entered, */
  __u32 return_next;      /* and the one around it */
  __u32 mm_probe_area;    /* xol_area, */
  __u32 probe_area_start; /* whose address all of them lead to */
  /* Of nodes of the maple tree: their types, and, in words, where pivots and slots begin and how many pivots there are.
   */
  __u32 leaf_type;
  __u32 range_type;
  __u32 gap_type;
  __u32 range_pivots_at;
  __u32 range_slots_at;
  __u32 range_pivots;
  __u32 gap_pivots_at;
  __u32 gap_slots_at;
  __u32 gap_pivots;
};
/* What of a VMA is read at one go: the members above lie in it. */
#define LAYOUT_VMA_BYTES 192

PROFILE_ABI_ASSERT(sizeof(struct walk_file_key) == 16, "walk_file_key");
PROFILE_ABI_ASSERT(sizeof(struct walk_file) == 24, "walk_file");
PROFILE_ABI_ASSERT(sizeof(struct ring_file) == 56, "ring_file");
PROFILE_ABI_ASSERT(sizeof(struct ring_stack) == 16, "ring_stack");
PROFILE_ABI_ASSERT(sizeof(struct walk_stuck) == 64, "walk_stuck");
PROFILE_ABI_ASSERT(sizeof(struct ring_unfinished) == 416 + UNFINISHED_MOST_BYTES, "ring_unfinished");
PROFILE_ABI_ASSERT(sizeof(struct walk_config) == 32, "walk_config");
PROFILE_ABI_ASSERT(sizeof(struct kernel_layout) == 176, "kernel_layout");

#endif
