/* The interface between the walk of user stacks (bpf/walk.bpf.h) and user space: where the tables of abi/unwind.h lie,
 * which files they belong to, and the results of a walk. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_WALK_H
#define PROFILE_ABI_WALK_H

#include "abi/record.h"
#include "abi/script.h"
#include "abi/unwind.h"

/* The most frames of a stack. */
#define WALK_MOST_FRAMES 512

/* All tables lie in one table space with 32-bit byte addresses. User space makes it in slabs, when they are needed. A
 * table may run on from one slab into the next, but one page, one rule, and the rows of one page may not. */
#define WALK_SLAB_SHIFT 18
#define WALK_SLAB_BYTES (1U << WALK_SLAB_SHIFT)
#define WALK_MOST_SLABS 1024

/* A file as the kernel knows it: all zero for the vDSO. */
struct walk_file_key {
  __u64 inode;
  __u32 device;  /* super_block::s_dev: major << 20 | minor */
  __u32 version; /* WALK_FILE_VERSION: a changed file is another file */
};

/* The high bits are a hash of what tells whether the content is another one, if the file system knows generations. The
 * low bits, WALK_FILE_TOUCHED, also change with the file's owner, permissions and names, because the time of
 * modification can be set back. The factor is odd and large, so that small differences make different versions. */
#define WALK_FILE_TOUCHED 0xfffU
#define WALK_FILE_FACTOR 2654435761U
#define WALK_FILE_HASH(a, b, c) (((a)*WALK_FILE_FACTOR + (b)) * WALK_FILE_FACTOR + (c))
#define WALK_FILE_VERSION(generation, modified_s, modified_ns, changed_s, changed_ns) \
  ((WALK_FILE_HASH(generation, modified_s, modified_ns) & ~WALK_FILE_TOUCHED) |       \
   WALK_FILE_HASH(0U, changed_s, changed_ns) * WALK_FILE_FACTOR >> 20)
/* The kernel marks times of change that were asked for in the highest bit. */
#define WALK_FILE_NS_MASK 0x3fffffffU

enum walk_file_state {
  WALK_FILE_ASKED, /* RING_FILE was sent; there is no answer yet */
  WALK_FILE_READY, /* it has a table */
  WALK_FILE_NONE   /* it has no table, and will not have one */
};

struct walk_file {
  __u32 state;      /* enum walk_file_state */
  __u32 first_page; /* the table's first page, counted from the file's first byte */
  __u32 pages;      /* number of pages */
  __u32 pages_at;   /* where the pages begin, in bytes of the table space */
  __u32 rules_at;   /* where the rules begin, in bytes of the table space */
  __u32 layout;     /* index in `script_layouts`, of an interpreter; 0: it is none that is known */
  __u32 met;        /* how often walks have looked it up; user space answers the most frequent one first */
};

/* Asks for the table of an unknown file, once, with the mapping in which a walk met it. */
struct ring_file {
  struct ring_header header;
  struct walk_file_key key;
  __u64 time_ns; /* CLOCK_MONOTONIC */
  __u64 start;
  __u64 end;
  __u32 tgid; /* in the profiler's pid namespace */
  __u32 unused;
};

/* Why a walk ended. */
enum walk_end {
  WALK_GOES_ON,
  WALK_ROOT,         /* the table says that this is the outermost frame */
  WALK_ROOT_BY_FP,   /* a frame pointer or a return address of 0, or the beginning of the stack, says so */
  WALK_TOO_DEEP,     /* walk_config::depth frames are not enough */
  WALK_NO_TABLE_YET, /* the table of a file was asked for and has not come */
  WALK_NO_CFI,       /* code without a table, and no frame pointer leads on */
  WALK_NOT_READABLE, /* a word of the stack could not be read */
  WALK_NOT_MAPPED,   /* no executable mapping holds the return address */
  WALK_NO_REGISTER,  /* the rule needs a register that is known only in the innermost frame */
  WALK_UNKNOWN_RULE, /* the rule does not say where the return address is, or cannot be read */
  WALK_BACKWARDS,    /* the caller's frame would not lie above its callee's */
  WALK_MAPS_CHANGED, /* the mappings changed during the walk */
  WALK_ENDS
};

/* stack_key::user_stack of a walked stack: WALK_STACK, a walk_end, WALK_STACK_GUESSED, and the generation in which it
 * was sent, as in other keys. GUESSED: a frame pointer led to a return address that is not behind a call. */
#define WALK_STACK (1 << 29)
#define WALK_STACK_GUESSED (1 << 8)
#define WALK_STACK_END 0xff

/* stack_key::user_hash of a user stack that the kernel has taken, because all walks of this CPU were under way. */
#define WALK_ALL_UNDER_WAY 1

/* Set in a frame's address if a signal interrupted the frame and it is not the leaf: then the address is no return
 * address. */
#define WALK_INTERRUPTED (1ULL << 63)
/* The address of the only frame of a task in execve(), when the old program is gone and the new one is not there yet.
 * No user address is so high. */
#define WALK_IN_EXECVE (1ULL << 62)

/* A walked stack, sent before the first sample of a generation that has it, or more often. The frames follow, leaf
 * first. */
struct ring_stack {
  struct ring_header header;
  __u64 hash; /* stack_key::user_hash: of the frames and of the walk's end */
};

/* The first frame of a walk whose file has no table yet, with all that it takes to go on from there. */
struct walk_stuck {
  __u64 pc;
  __u64 sp;
  __u64 fp;
  __u64 extra;               /* rbx; the link register on arm64 */
  struct walk_file_key file; /* the file whose table is missing */
  __u32 depth;               /* frames up to and with this one; 0: no table was missing */
  __u32 lost;                /* bits of the registers that are not known, as in struct walk */
  __u32 was_interrupted;
  __u32 unused;
};

enum unfinished_of {
  UNFINISHED_SAMPLE,
  /* Has no weight. It lets user space finish the stack of its hash, which no other sample has. */
  UNFINISHED_SPAN,
  /* The same for a thread that does not run. User space makes this record itself, from the registers and the stack. */
  UNFINISHED_BLOCKED
};

/* A sample with an unfinished walk, in a separate ring, with a copy of the stack from the stuck frame's stack pointer
 * on. User space finishes the walk when the table is there, and then counts the sample. A record is reserved for the
 * smallest of these sizes that is enough. Few threads use more than a few kilobytes; a compiler uses tens. */
#define UNFINISHED_LEAST_BYTES 1024
#define UNFINISHED_SMALL_BYTES 4096
#define UNFINISHED_USUAL_BYTES 16384
#define UNFINISHED_MOST_BYTES 65536
struct ring_unfinished {
  struct ring_header header;
  __u64 time_ns;        /* CLOCK_MONOTONIC */
  __u64 value;          /* in the source's unit */
  struct stack_key key; /* names the stack as far as frame pointers led */
  struct walk_stuck stuck;
  __u64 start_stack;   /* mm_struct::start_stack of the process */
  __u64 caller;        /* stack_key::caller before the walk; 0: not known */
  __u64 innermost[32]; /* all registers of the leaf, by DWARF's numbers */
  __u32 bytes;         /* how many of `stack` are used */
  __u32 of_span;       /* enum unfinished_of */
  char stack[UNFINISHED_MOST_BYTES];
};

/* Memory of a process that holds a copy of a file's code, which user space has found: the VMA has no file. */
struct walk_copy_key {
  __u64 start;
  __u64 end;
  __u32 tgid;
  __u32 unused;
};
struct walk_copy {
  struct walk_file_key file;
  __u64 bias; /* address - bias is the offset in the file */
};
#define WALK_MOST_COPIES 1024

/* How user stacks are taken; constant once the programs are loaded. */
enum walk_mode {
  WALK_OFF,      /* by the kernel's own walk of frame pointers, which does not see in which file an address lies */
  WALK_AUTO,     /* by tables, and by frame pointers where there are none */
  WALK_TABLES,   /* by tables alone */
  WALK_POINTERS, /* by frame pointers alone; where such a stack ended says nothing, so its end is WALK_GOES_ON */
};
struct walk_config {
  __u32 mode;      /* enum walk_mode */
  __u32 depth;     /* frames, at most WALK_MOST_FRAMES */
  __u32 half_full; /* sent stacks of a generation at which RING_HALF_FULL is sent */
  /* 1: each new row of the histogram sends its stack. 0: a table keeps which stacks were sent, and each is sent once:
   * for rows that come at any rate, for samples that are handed over, and for spans, which have no row when they begin.
   */
  __u32 sends_each_row;
  __u32 languages; /* a bit for each script_language whose functions are wanted */
  __u32 lines;     /* 1: frames of scripts have their positions */
  __u64 seed[2];   /* secret seed of the hash, so that no program can make two stacks with the same hash */
};

enum layout_tree { LAYOUT_MAPLE_TREE, LAYOUT_RED_BLACK_TREE };
/* What shows that the mappings of an address space have changed. */
enum layout_sequence {
  LAYOUT_NO_SEQUENCE, /* 6.1 to 6.3 */
  LAYOUT_UNLOCKS,     /* an int that counts how often a writer unlocked them */
  LAYOUT_COUNTS,      /* a seqcount, odd while a writer changes them */
  LAYOUT_VMACACHE     /* before 6.1: a u64 that counts the changes */
};

/* Written while sampling. */
struct walk_state {
  __u32 sent[PROFILE_GENERATIONS]; /* sent stacks: the BPF programs count them, and user space sets 0 after a drain */
  __u32 mappings_version; /* user space raises it when tables go: the known mappings are no longer valid then */
};

/* Where the walk finds what it reads in kernel structures, from the kernel's BTF. Constant once the programs are
 * loaded. If a comment does not say otherwise: the offset in bytes, in the structure with which the name begins. */
struct kernel_layout {
  __u32 tree;     /* enum layout_tree */
  __u32 sequence; /* enum layout_sequence */
  /* 1: the kernel has the helpers that return the current task and its registers with their types (5.15), so that a
   * program can load their members directly. 0: task_regs_at is used. */
  __u32 has_typed_pointers;
  __u32 task_regs_at; /* bytes from the beginning of the task's stack to the registers */
  __u32 page_shift;
  __u32 task_mm;
  __u32 task_stack;
  __u32 task_exec_id;
  __u32 task_thread_base; /* the register that points to the thread's own data; 0: not known */
  __u32 mm_tree;          /* the root of the tree */
  __u32 mm_start_stack;
  __u32 mm_sequence;
  __u32 mm_vdso;
  __u32 mm_lock;      /* the word of the mappings' lock that says who holds it */
  __u32 mm_lock_mask; /* the bits of it that are set while a writer holds it; 0: not known */
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
  __u32 inode_modified_s; /* the low 32 bits of the seconds */
  __u32 inode_modified_ns;
  __u32 inode_changed_s;
  __u32 inode_changed_ns;
  __u32 inode_super;
  __u32 super_device;
  /* How to find the real return address where a return probe has replaced it. task_probes is 0 if that is not known. */
  __u32 task_probes;      /* task_struct::utask */
  __u32 probes_returns;   /* the innermost return_instance */
  __u32 return_address;   /* return_instance: the real return address */
  __u32 return_stack;     /* return_instance: the stack pointer at the function's first instruction */
  __u32 return_next;      /* return_instance: the next outer one */
  __u32 mm_probe_area;    /* mm_struct::uprobes_state.xol_area */
  __u32 probe_area_start; /* xol_area::vaddr, the address to which all of them return */
  /* Where a thread is that runs the copy of a probed instruction. 0: not known. */
  __u32 probes_copy;        /* uprobe_task::xol_vaddr, the copy */
  __u32 probes_instruction; /* uprobe_task::vaddr, the instruction itself */
  /* Nodes of the maple tree: the numbers of their types, where pivots and slots begin (in words), and how many pivots a
   * node has. */
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
/* How many bytes of a VMA one read takes. All members above lie in them. */
#define LAYOUT_VMA_BYTES 192

PROFILE_ABI_ASSERT(sizeof(struct walk_file_key) == 16, "walk_file_key");
PROFILE_ABI_ASSERT(sizeof(struct walk_file) == 28, "walk_file");
PROFILE_ABI_ASSERT(sizeof(struct ring_file) == 56, "ring_file");
PROFILE_ABI_ASSERT(sizeof(struct ring_stack) == 16, "ring_stack");
PROFILE_ABI_ASSERT(sizeof(struct walk_stuck) == 64, "walk_stuck");
PROFILE_ABI_ASSERT(sizeof(struct ring_unfinished) == 416 + UNFINISHED_MOST_BYTES, "ring_unfinished");
PROFILE_ABI_ASSERT(sizeof(struct walk_config) == 40, "walk_config");
PROFILE_ABI_ASSERT(sizeof(struct kernel_layout) == 196, "kernel_layout");

#endif
