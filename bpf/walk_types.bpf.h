/* The constants and types of a walk of a user stack, the same for each of its hosts (walk_host.bpf.h). */
#ifndef PROFILE_WALK_TYPES_BPF_H
#define PROFILE_WALK_TYPES_BPF_H

#include "abi/walk.h"
#include "compiler.bpf.h"

#ifdef __TARGET_ARCH_x86
#define REGISTERS 16
#define REGISTER_EXTRA 3 /* rbx */
#define REGISTER_FP 6
#define REGISTER_SP 7
#define RAW_WORDS 21 /* of struct pt_regs */
#define UNIT_SHIFT UNWIND_X86_64_UNIT_SHIFT
#else
#define REGISTERS 32
#define REGISTER_EXTRA 30 /* the link register */
#define REGISTER_FP 29
#define REGISTER_SP 31
#define RAW_WORDS 34 /* of struct user_pt_regs, with which struct pt_regs begins */
#define UNIT_SHIFT UNWIND_ARM64_UNIT_SHIFT
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
  __u16 is_vdso;
  __u16 layout; /* walk_file::layout */
};

/* A heap of code of a Java engine. */
#define JAVA_MOST_HEAPS 4 /* a power of two */
struct java_heap {
  __u64 start;
  __u64 bytes;
  __u64 segments; /* a byte for each segment: how far to go back, 0 for the first one of a blob */
};
/* Where the code of a Java engine is: see java.bpf.h. */
struct java_space {
  __u64 bias; /* as walk_mapping::bias of the engine's file */
  __u64 interpreter;
  __u64 interpreter_bytes;
  __u64 method; /* the addresses of the names that blobs of methods have; 0: none was met */
  __u64 native;
  __u64 mount;    /* likewise, of the blob with the code that continuations return to */
  __u32 is_known; /* all but those three names */
  __u32 segment_shift;
  struct java_heap heaps[JAVA_MOST_HEAPS];
};
/* What is known of a place in the code of Java: see java_known_of(). */
#define JAVA_KNOWN_BITS 8
#define JAVA_KNOWN (1 << JAVA_KNOWN_BITS)
#define JAVA_MOST_INLINED 16 /* methods at one place; a power of two */
#define JAVA_KNOWN_INLINED 12
struct java_known {
  __u64 key;
  __u64 blob;
  __u32 number;                      /* of the compilation */
  __u32 count;                       /* of its methods; 0: they are not known */
  __u64 methods[JAVA_KNOWN_INLINED]; /* innermost first */
  __u16 places[JAVA_KNOWN_INLINED];  /* as script_walk::java_places */
};
enum java_frame_kind {
  JAVA_NONE, /* no frame of Java */
  JAVA_COMPILED,
  JAVA_INTERPRETED,
  JAVA_STUB /* code of the engine that is no method's */
};

/* An address space whose mappings this CPU remembers: see known_spaces.bpf.h. They are valid only for a walk whose
 * members from `mm` to `mappings_version` are the same. */
struct walk_space {
  __u64 mm;
  __u64 sequence; /* changes when a mapping changes */
  __u64 start_stack;
  __u32 exec_id;
  __u32 tgid;
  __u32 mappings_version; /* walk_state::mappings_version */
  __u32 code_layout;      /* as of struct walk; valid as long as the program is the same, whatever it maps */
  __u32 count;            /* of its mappings */
  __u32 turn;             /* the next one to overwrite */
  __u32 is_sought;        /* as of struct walk; valid as long as the mappings are the same */
  struct java_space java;
  /* For a page of code, by a hash of its address: the mapping that probably holds it. */
  __u8 hints[HINTS];
  struct walk_mapping mappings[MAPPINGS];
};

#define WINDOW_WORDS 64 /* a power of two */
#define KNOWN_CODES_BITS 10
#define KNOWN_CODES (1 << KNOWN_CODES_BITS)

/* Odd, and about 2^64 divided by the golden ratio: neighbours get distant places. D. E. Knuth, "The Art of Computer
 * Programming", 6.4. */
#define PLACE_FACTOR 0x9e3779b97f4a7c15ULL

/* The code of the row for one place in the tables: see known_codes.bpf.h. */
struct known_code {
  __u64 place;
  __u32 code;
  __u32 mappings_version; /* walk_state::mappings_version at that time */
};

/* The result of a search for a mapping. */
enum found {
  FOUND,
  FOUND_NOTHING,
  FOUND_TORN, /* the mapping changed while it was read */
};

/* Registers of the current frame whose values are not known. */
#define LOST_FP 1
#define LOST_EXTRA 2

#define NODE_WORDS 32

/* C code may prepare a call of the script before it calls the interpreter, or have the interpreter look for what it
 * calls. Then the innermost part of the script's chain, or the innermost frame of the interpreter, has no partner. */
enum script_shift {
  SHIFT_NONE,
  SHIFT_DROP, /* drop that part of the chain */
  SHIFT_EMPTY /* that frame of the interpreter runs no function */
};

/* What show_script() adds next to the stack. */
enum script_turn {
  TURN_NONE,
  TURN_RUN, /* a frame of the script that an interpreter runs */
  TURN_CODE /* the frame that was left last: it may be code of the engine, and is not in the hash yet */
};

/* What is known of the scripts on this stack: see script.bpf.h. */
#define SCRIPT_WORDS 32 /* a power of two */
#define JAVA_WORDS 64   /* likewise */
#define SCRIPT_OWN_WORDS 16
struct script_walk {
  __u32 turn;         /* enum script_turn */
  __s32 end;          /* enum walk_end: of the frame that was left last */
  __u32 is_off;       /* no frames of scripts in this walk */
  __u32 met;          /* enum script_language: of the interpreter that was met last */
  __u32 missing;      /* enum script_missing: the first reason */
  __u32 layout;       /* walk_file::layout of the interpreter */
  __u32 language;     /* of that layout */
  __u32 is_core;      /* the frame that was left stands for the interpreter's own, which comes next */
  __u32 has_next;     /* `next` is valid */
  __u32 must_fit;     /* at the root, the chain must be at its end */
  __u32 can_be_known; /* `proof` is enough to know the function again */
  __u32 shift;        /* enum script_shift */
  __u32 shift_next;   /* the same, for when the stack is walked again */
  __u32 met_first;    /* `met` of the walk before that */
  __u32 is_code_late; /* a frame of code without a file was walked before the engine's file was met */
  __u32 java;         /* enum java_frame_kind: of the frame that was added last */
  __u32 java_callee;  /* the same of the frame before it */
  __u32 java_count;   /* the methods at its place, if it is compiled; they are in java_methods, innermost first */
  __u32 java_next;    /* the next of them */
  /* The interpreter's frame. */
  __u64 sp;
  __u64 cfa;
  __u64 bias;     /* of its mapping */
  __u64 shown;    /* its word in the stack */
  __u64 identity; /* of the mapping of the frame that was left last, as of add_frame() */
  __u64 hash[4];
  __u32 depth; /* the frames before it */
  __u32 line;  /* where the function at hand begins */
  /* The script's frames: the next one, 0 where the run begins; the first one of the next outer run. */
  __u64 frame;
  __u64 next;
  /* The function at hand: its address, and what shows that it is still the same. */
  __u64 function;
  __u64 proof[4];
  __u64 file;  /* the object that has the path of its file, where `proof` does not have it */
  __u64 table; /* where its table of lines is; 0: it has none */
  __u64 table_bytes;
  __u64 position;    /* in the function, as a frame's word has it; 0: it is not known, or not wanted */
  __u64 instruction; /* what the language knows of the place in the function */
  __u64 id;          /* its word in the stack, without a position */
  __u64 name_state[4];
  __u64 name_hash;             /* of which that word has most bits */
  __u64 own[SCRIPT_OWN_WORDS]; /* what the language keeps between its steps */
  /* The stack at a frame where the run may have ended: see STEP_BACK. */
  __u64 mark_hash[4];
  __u32 mark_depth;
  __u64 caller; /* offset in the interpreter's file of the return address of its frame */
  __u64 words[SCRIPT_WORDS];
  __u64 java_words[JAVA_WORDS]; /* what was read of Java's structure at hand */
  __u64 java_live;              /* where the innermost method runs, if the interpreter says it; else 0 */
  __u64 java_methods[JAVA_MOST_INLINED];
  __u16 java_places[JAVA_MOST_INLINED]; /* where they run: the index of the bytecode and 1; 0: it is not known */
  __u64 java_others[JAVA_MOST_INLINED];
  __u16 java_other_places[JAVA_MOST_INLINED];
  struct ring_name name;
};

/* A function that this CPU has met: see known_functions.bpf.h. */
struct known_function {
  __u64 function; /* 0: none */
  __u64 mm;
  __u64 proof[4];
  __u64 id;
  __u64 unused;
};

/* What by_rule() finds of the caller: the CFA, the return address, and what it says of two registers. */
struct walk_next {
  __u64 cfa;
  __u64 back;
  __u64 fp;
  __u64 extra;
};

/* The walk under way, and what the next walk on this CPU reuses. The members from `vma_address` to `node`, and those
 * that remember, are for the BPF programs alone. */
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
  __u64 left_fp;  /* the frame was left by that frame pointer; 0: it was not */
  __u64 entry_sp; /* the stack pointer at the first instruction of the function that the probe waits for */
  __u64 caller;   /* return address of a leaf without a frame yet; 0: not known */
  __u64 hash[4];
  struct walk_stuck stuck;

  __u64 place;                 /* the address that find_mapping() looks up */
  struct walk_mapping mapping; /* the one that holds the current frame */
  struct walk_file_key key;    /* the file of the last mapping that was not known */
  struct unwind_rule rule;
  struct walk_next next;

  /* The search for a VMA, and its way through the tree. */
  __u64 vma_address;
  __u64 entry; /* a node, then the VMA; or the call that a return probe waits for */
  __u64 low;   /* the mapping's range by the tree */
  __u64 high;
  __u64 start; /* the mapping's range by the VMA */
  __u64 end;
  __u64 file;
  __u64 offset;      /* in pages */
  __u64 of_any_size; /* for a stack: it is not executable, and it grows */
  /* These are here because the BPF stack is small. */
  struct walk_file asked;
  struct walk_copy_key copy;
  __u64 node[NODE_WORDS];

  /* The address space: see struct walk_space. */
  __u64 mm;
  __u64 sequence;
  __u32 exec_id;
  __u32 tgid;
  __u32 mappings_version;
  __u32 keep_nothing; /* the next walk must not reuse the mappings that this one has found */
  __u32 space;        /* the index in `spaces` */
  __u32 code_layout;  /* walk_file::layout of the engine whose code has no file; 0: it was not met */
  __u32 is_sought;    /* find_engine() need not be called again */
  struct java_space java;

  __u64 raw[RAW_WORDS + 1];
  __u64 window_at; /* address of the first word in `window` */
  __u64 window_bytes;
  __u64 window[WINDOW_WORDS];
  struct known_code known[KNOWN_CODES];
  __u64 busy; /* taken: one program may interrupt another on the same CPU */
  __u32 depth;
  __u32 slot; /* its index in `walks` */
  struct script_walk script;
  struct ring_stack head; /* sent together with the frames behind it */
  __u64 frames[WALK_MOST_FRAMES];
};

/* Where the current frame is: in the call, not behind it. */
static __always_inline __u64 place_of_frame(const struct walk *walk) {
  return walk->was_interrupted ? walk->pc : walk->pc - 1;
}

#endif
