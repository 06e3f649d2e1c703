/* The interface between bpf/malloc.bpf.c and user space. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_MALLOC_H
#define PROFILE_ABI_MALLOC_H

#include "abi/record.h"

/* The kinds of an allocator's functions, which one program serves, because the kernel verifies each program for itself.
 * Functions of one kind have the same arguments and results. */
enum allocator_call {
  ALLOCATOR_BYTES,            /* f(bytes): malloc, valloc, pvalloc */
  ALLOCATOR_PRODUCT,          /* calloc(count, bytes) */
  ALLOCATOR_MOVED,            /* realloc(memory, bytes) */
  ALLOCATOR_ALIGNED,          /* f(alignment, bytes): memalign, aligned_alloc */
  ALLOCATOR_ALIGNED_BY_PLACE, /* posix_memalign(&memory, alignment, bytes) */
  ALLOCATOR_FREE,             /* free(memory) */
  ALLOCATOR_CALLS
};

/* The cookie of each probe: the kind of the function, and how many bytes of the allocator's own code lie before its
 * first instruction and after it. A call that returns into this code is a call of the allocator to itself. */
#define PROFILE_COOKIE_CALL_BITS 4
#define PROFILE_COOKIE_BYTES_BITS 30
#define PROFILE_COOKIE(call, before, after)                      \
  ((__u64)(call) | (__u64)(before) << PROFILE_COOKIE_CALL_BITS | \
   (__u64)(after) << (PROFILE_COOKIE_CALL_BITS + PROFILE_COOKIE_BYTES_BITS))

/* A call under way, or the memory that it gave: a value of the map `spans`. */
struct allocation {
  struct span span;
  __u64 id;       /* of the span */
  __u64 bytes;    /* that the program asked for */
  __u64 address;  /* of the memory; under way: the stack pointer at the function's first instruction */
  __u64 life;     /* the process's value in the map `lives`; 0: a call under way */
  __u64 given;    /* under way: the alignment, realloc's old memory, or where posix_memalign puts its result */
  __u64 function; /* under way: the address of its first instruction */
  __u32 tgid;     /* in the initial pid namespace */
  __u32 padding;
};

/* The last call of a thread that may go on in another function by a jump: a value of the map `heads`. The key is the
 * thread's id in the initial pid namespace. */
struct call_head {
  __u64 stack_pointer; /* 0: it has gone on */
  __u64 back;          /* its return address */
  __u64 function;
  __u64 given; /* the alignment; 0: none */
  __u64 bytes;
};

/* The most keys that user space puts into the map `batch` at a time. */
#define PROFILE_MALLOC_BATCH 8192

struct malloc_state {
  __u64 ended;      /* ended programs whose allocations user space must remove */
  __u32 last_flush; /* set by user space: the run is over */
  __u32 batched;    /* set by user space: how many keys are in `batch` */
};

PROFILE_ABI_ASSERT(sizeof(struct allocation) == 120, "allocation");
PROFILE_ABI_ASSERT(sizeof(struct call_head) == 40, "call_head");
PROFILE_ABI_ASSERT(sizeof(struct malloc_state) == 16, "malloc_state");

#endif
