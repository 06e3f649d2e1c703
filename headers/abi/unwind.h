/* How to find the caller's registers from each place in a file's code. src/unwind makes these tables from .eh_frame,
 * and the walks of user stacks read them. All places are file offsets, so one table serves every process that maps the
 * file. Plain C; sizes are asserted. */
#ifndef PROFILE_ABI_UNWIND_H
#define PROFILE_ABI_UNWIND_H

#include "abi/record.h"

/* A row has 32 bits. The high bits say where it begins in its page, in units of the shortest instruction; the low bits
 * are a code. Rows of a page ascend, so they compare as numbers. */
#define UNWIND_CODE_BITS 22
#define UNWIND_CODE_MASK ((1U << UNWIND_CODE_BITS) - 1)
#define UNWIND_MOST_IN_PAGE ((1U << (32 - UNWIND_CODE_BITS)) - 1)

#define UNWIND_X86_64_UNIT_SHIFT 0
#define UNWIND_ARM64_UNIT_SHIFT 2
/* log2 of the bytes in a page of the file: 1 KiB on x86-64, 4 KiB on arm64. */
#define UNWIND_PAGE_SHIFT(unit_shift) (32 - UNWIND_CODE_BITS + (unit_shift))

struct unwind_page {
  __u32 first_row;     /* its index in UnwindTable::rows; in the table space, in units of 4 bytes */
  __u32 rows_and_code; /* number of rows << UNWIND_CODE_BITS | code for what lies before the first row */
};

/* A code without UNWIND_SHORT is an index in the file's list of rules. With it the code is the rule itself: the CFA is
 * sp (fp with UNWIND_SHORT_BY_FP) plus a number of 8-byte words.
 *
 * x86-64: the return address lies in the word below the CFA. fp and rbx have a field each, which says how many words
 * further below the register was saved. 0: the register has not changed. A mark says that the code belongs to the
 * function of an interpreter (abi/script.h). On arm64 such code has long rules, because its codes have no free bit.
 *
 * arm64: the field of fp says how many words below the CFA it was saved, and the return address lies in the word above
 * it. 0: both are in their registers. */
#define UNWIND_SHORT (1U << 21)
#define UNWIND_SHORT_BY_FP (1U << 20)
#define UNWIND_SHORT_CFA_SHIFT 11
#define UNWIND_SHORT_CFA_MOST 0x1ffU
#define UNWIND_X86_64_FP_SHIFT 7
#define UNWIND_X86_64_EXTRA_SHIFT 3
#define UNWIND_X86_64_SLOT_MOST 0xfU
#define UNWIND_X86_64_INTERPRETER 1U
#define UNWIND_ARM64_SLOT_MOST 0x7ffU

enum unwind_cfa {
  UNWIND_CFA_NONE,        /* nothing is known of this place */
  UNWIND_CFA_REGISTER,    /* cfa_register + cfa_offset */
  UNWIND_CFA_MEMORY,      /* the word at cfa_register + cfa_offset */
  UNWIND_CFA_STUB,        /* sp + cfa_offset, and 8 more if the last 4 bits of the address are >= cfa_register */
  UNWIND_CFA_END,         /* the outermost frame: it has no caller */
  UNWIND_CFA_OTHER_STACK, /* cfa_register + cfa_offset, which is on another stack than this frame */
  UNWIND_CFA_UNKNOWN      /* it is described, but no rule can express it */
};

/* Where the caller's register is. Numbers of registers are DWARF's, also in cfa_register. */
enum register_rule {
  UNWIND_SAME,        /* not changed */
  UNWIND_AT_CFA,      /* in memory, at the CFA + its offset */
  UNWIND_AT_FP,       /* in memory, at this frame's frame pointer + its offset */
  UNWIND_AT_SP,       /* in memory, at this frame's stack pointer + its offset */
  UNWIND_IN_REGISTER, /* in the register with that number: known in the innermost frame, or if it is sp, fp or extra */
  UNWIND_LOST
};

enum rule_flag {
  UNWIND_SIGNAL = 1,     /* a signal interrupted the caller: it goes on at the return address itself */
  UNWIND_INTERPRETER = 2 /* as UNWIND_X86_64_INTERPRETER */
};

struct unwind_rule {
  __u8 cfa; /* enum unwind_cfa */
  __u8 cfa_register;
  __u8 fp;    /* enum register_rule, like ra and extra: of rbp or x29 */
  __u8 ra;    /* the return address */
  __u8 extra; /* rbx; on arm64 x30 of code that a signal interrupted, else UNWIND_SAME */
  __u8 flags; /* bits of enum rule_flag */
  __s16 fp_offset;
  __s32 cfa_offset;
  __s16 ra_offset;
  __s16 extra_offset;
};

PROFILE_ABI_ASSERT(sizeof(struct unwind_page) == 8, "unwind_page");
PROFILE_ABI_ASSERT(sizeof(struct unwind_rule) == 16, "unwind_rule");
PROFILE_ABI_ASSERT(UNWIND_MOST_IN_PAGE == 1023, "rows of a page");
PROFILE_ABI_ASSERT((UNWIND_SHORT_CFA_MOST << UNWIND_SHORT_CFA_SHIFT) < UNWIND_SHORT_BY_FP, "short CFA");
PROFILE_ABI_ASSERT((UNWIND_X86_64_SLOT_MOST << UNWIND_X86_64_FP_SHIFT) < 1U << UNWIND_SHORT_CFA_SHIFT, "short fp");
PROFILE_ABI_ASSERT(UNWIND_ARM64_SLOT_MOST < 1U << UNWIND_SHORT_CFA_SHIFT, "short slot");

#endif
