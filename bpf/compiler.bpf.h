/* What the headers of bpf/ need of their compiler: clang for the kernel, or the C++ compiler of user space, which
 * compiles the walk of user stacks, too (walk_host.bpf.h). */
#ifndef PROFILE_COMPILER_BPF_H
#define PROFILE_COMPILER_BPF_H

#ifdef __bpf__

#include <asm/errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
/* bpf_helpers.h needs the types above. */
#include <bpf/bpf_helpers.h>

/* Of an object that user space sets before it loads the programs: the verifier knows its value. */
#define CONSTANT const volatile

/* Shows the verifier that `value` is below `most`, a power of two. Kernels before 6.6 forget a comparison with a number
 * that is on the stack, and the compiler would remove a plain "and". */
#define KEEP_BELOW(value, most) asm volatile("%0 &= %1" : "+r"(value) : "i"((most)-1))

#else

#include <errno.h>
#include <linux/types.h>
#include <stddef.h>

#define SEC(name)
#define CONSTANT
#define KEEP_BELOW(value, most) ((value) &= (most)-1)
#ifndef __always_inline
#define __always_inline inline
#endif
#ifndef __noinline
#define __noinline
#endif
/* The walk has the rules of one architecture. A test chooses it, so that it can be another than the machine's. */
#if defined(WALK_OF_X86_64) || (defined(__x86_64__) && !defined(WALK_OF_ARM64))
#define __TARGET_ARCH_x86
#endif

#endif

#endif
