/* What a walk keeps on its CPU, and the maps that it shares with user space. A part of walk.bpf.h. */
#ifndef PROFILE_WALK_MAPS_BPF_H
#define PROFILE_WALK_MAPS_BPF_H

#ifdef __TARGET_ARCH_x86
#define RAW_WORDS 21 /* of struct pt_regs */
#else
#define RAW_WORDS 34 /* of struct user_pt_regs, with which struct pt_regs begins */
#endif

#define NODE_WORDS 32

/* The walk under way on this CPU, and what the next walk reuses. */
struct walk {
  /* The current frame. The registers fp and extra are read only when a rule needs them: fp_at and extra_at say where
   * they were saved, or 0 when the value is known. */
  __u64 pc;
  __u64 sp;
  __u64 fp;
  __u64 fp_at;
  __u64 extra;
  __u64 extra_at;
  __u64 registers_at;         /* where the kernel keeps the registers of the innermost frame */
  __u64 innermost[REGISTERS]; /* these, by DWARF's numbers; only if are_named is set */
  __u32 lost;                 /* bits: LOST_FP, LOST_EXTRA */
  __u32 was_interrupted;      /* the frame goes on at pc itself: it has not made a call */
  __u32 are_named;
  __u32 guessed;
  __u32 is_unsure; /* a writer had the mappings' lock: only a stack with WALK_ROOT is valid */
  __u64 stack_end; /* end of the mapping that holds the stack; 0: not looked up, 1: none */
  __u64 start_stack;
  __u64 probe_area; /* the return address that return probes put in; 0: none */
  __u64 probe_return;
  __u64 caller; /* return address of a leaf without a frame yet; 0: not known */
  __u64 hash[4];
  struct walk_stuck stuck;

  /* The search for a mapping, and its way through the tree. */
  __u64 sought;
  __u64 entry; /* a node, then the VMA */
  __u64 low;   /* the mapping's range by the tree */
  __u64 high;
  __u64 start; /* the mapping's range by the VMA */
  __u64 end;
  __u64 file;
  __u64 offset;      /* in pages */
  __u64 of_any_size; /* for a stack: it is not executable, and it grows */
  /* These are here because the BPF stack is small. */
  struct walk_file_key key;
  struct walk_file asked;
  struct walk_copy_key copy;
  struct unwind_rule rule;
  __u64 node[NODE_WORDS];

  /* The address space: see struct walk_space. */
  __u64 mm;
  __u64 sequence;
  __u32 exec_id;
  __u32 tgid;
  __u32 epoch;
  __u32 keep_nothing;          /* the next walk must not reuse the mappings that this one has found */
  __u32 space;                 /* the index in `spaces` */
  struct walk_mapping mapping; /* the one that holds pc */

  __u64 raw[RAW_WORDS + 1];
  __u64 window_at; /* address of the first word in `window` */
  __u64 window_bytes;
  __u64 window[WINDOW_WORDS];
  struct known_code known[KNOWN_CODES];
  __u64 busy; /* taken: one program may interrupt another on the same CPU */
  __u32 depth;
  __u32 slot;             /* its index in `walks` */
  struct ring_stack head; /* sent together with the frames behind it */
  __u64 frames[WALK_MOST_FRAMES];
};

MAP(walks, PERCPU_ARRAY, 0, __u32, struct walk, PROGRAMS_AT_ONCE);
/* SPACES for each of `walks`. A map of its own, because the kernel limits a value of a CPU to 32 KiB. */
MAP(spaces, PERCPU_ARRAY, 0, __u32, struct walk_space, PROGRAMS_AT_ONCE *SPACES);

struct slab {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, WALK_SLAB_BYTES);
};
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, WALK_MOST_SLABS);
  __uint(key_size, sizeof(__u32));
  __array(values, struct slab);
} slabs SEC(".maps");

/* Preallocated, as are `sent_0` and `sent_1`: before 6.1 a program on a perf event may have no other kind of hash. */
MAP(walk_files, HASH, 0, struct walk_file_key, struct walk_file, 16384);
MAP(walk_copies, HASH, 0, struct walk_copy_key, struct walk_copy, WALK_MOST_COPIES);

#endif
