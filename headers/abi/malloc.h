/* What bpf/malloc.bpf.c and its user side say to each other. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_MALLOC_H
#define PROFILE_ABI_MALLOC_H

#include "abi/record.h"

/* The cookie of each probe at a function's first instruction: how many bytes of the allocator's own code lie before the
 * instruction (the low half) and after it. What returns to there is a call of the allocator's to itself. */
#define PROFILE_ALLOCATOR_AFTER_SHIFT 32

/* A call under way, or memory that it gave; the value of the map `spans`. */
struct allocation {
  struct span span;
  __u64 id;       /* of the span */
  __u64 bytes;    /* asked for */
  __u64 address;  /* of the memory; under way: the stack pointer at the function's first instruction */
  __u64 life;     /* of the process; 0: a call under way */
  __u64 given;    /* under way: the alignment, what realloc was given, or where posix_memalign puts its result */
  __u64 function; /* under way: which it is */
  __u32 tgid;     /* in the initial pid namespace */
  __u32 padding;
};

/* The last call that may go on by becoming another function's; the value of the map `heads`, by thread. */
struct call_head {
  __u64 stack_pointer; /* 0: it has */
  __u64 back;          /* where it returns to */
  __u64 function;
  __u64 given; /* the alignment; 0: none */
  __u64 bytes;
};

/* Keys that user space puts into the map `batch` at a time. */
#define PROFILE_MALLOC_BATCH 8192

struct malloc_state {
  __u64 ended;      /* processes with an allocation have ended, whose entries are to be removed */
  __u32 last_flush; /* set by user space, as the next: the run is over */
  __u32 batched;    /* keys in `batch` */
};

PROFILE_ABI_ASSERT(sizeof(struct allocation) == 120, "allocation");
PROFILE_ABI_ASSERT(sizeof(struct call_head) == 40, "call_head");
PROFILE_ABI_ASSERT(sizeof(struct malloc_state) == 16, "malloc_state");

#endif
