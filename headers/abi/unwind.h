/* How a caller's registers are found from each place in a file's code: what src/unwind makes of .eh_frame, and whoever
 * walks a user stack reads. All is by file offset, so that one table serves every process that maps the file. Plain C;
 * sizes are asserted. */
#ifndef PROFILE_ABI_UNWIND_H
#define PROFILE_ABI_UNWIND_H

#include "abi/record.h"

/* A row has 4 bytes: where it begins in its page, in units of the shortest instruction, and below that a code. Rows of
 * a page ascend, so two of them compare as numbers. */
#define UNWIND_CODE_BITS 22
#define UNWIND_CODE_MASK ((1U << UNWIND_CODE_BITS) - 1)
#define UNWIND_MOST_IN_PAGE ((1U << (32 - UNWIND_CODE_BITS)) - 1)

#define UNWIND_X86_64_UNIT_SHIFT 0
#define UNWIND_ARM64_UNIT_SHIFT 2
/* Bytes of the file in a page: 1 KiB on x86-64, 4 KiB on arm64. */
#define UNWIND_PAGE_SHIFT(unit_shift) (32 - UNWIND_CODE_BITS + (unit_shift))

struct unwind_page {
  __u32 first_row;
  __u32 rows_and_code; /* how many rows, above the code that holds up to the first of them */
};

/* A code without UNWIND_SHORT is a number in the file's list of rules. With it, it is the rule itself: the CFA is sp
 * (or fp, with UNWIND_SHORT_BY_FP) and a number of words. x86-64: the return address lies in the word below the CFA; a
 * register that is saved lies so many words further below as its field says, and with 0 is as it was. arm64: the field
 * of fp says how many words below the CFA it lies, the return address in the word above it; with 0 both are in their
 * registers. */
#define UNWIND_SHORT (1U << 21)
#define UNWIND_SHORT_BY_FP (1U << 20)
#define UNWIND_SHORT_CFA_SHIFT 11
#define UNWIND_SHORT_CFA_MOST 0x1ffU
#define UNWIND_X86_64_FP_SHIFT 7
#define UNWIND_X86_64_EXTRA_SHIFT 3
#define UNWIND_X86_64_SLOT_MOST 0xfU
#define UNWIND_ARM64_SLOT_MOST 0x7ffU

enum unwind_cfa {
  UNWIND_CFA_NONE,     /* nothing is known of this place */
  UNWIND_CFA_REGISTER, /* cfa_register + cfa_offset */
  UNWIND_CFA_MEMORY,   /* what lies there */
  UNWIND_CFA_STUB,     /* sp + cfa_offset, and a word more from byte `cfa_register` of each 16 of the code on */
  UNWIND_CFA_END,      /* the outermost frame: nobody called it */
  UNWIND_CFA_UNKNOWN   /* it is described, in a way that no rule can say */
};

/* Where a register of the caller is. Numbers of registers are DWARF's, here and in cfa_register. */
enum register_rule {
  UNWIND_SAME,        /* as it is now */
  UNWIND_AT_CFA,      /* in memory, so many bytes from the CFA, */
  UNWIND_AT_FP,       /* from the frame pointer as it is now, */
  UNWIND_AT_SP,       /* from the stack pointer as it is now */
  UNWIND_IN_REGISTER, /* in the register of that number: known in the innermost frame, or where that is one of ours */
  UNWIND_LOST
};

struct unwind_rule {
  __u8 cfa; /* enum unwind_cfa */
  __u8 cfa_register;
  __u8 fp;        /* enum register_rule, as the next two: of rbp; of x29 */
  __u8 ra;        /* the return address */
  __u8 extra;     /* rbx; on arm64 x30 of code that a signal interrupted, else UNWIND_SAME */
  __u8 is_signal; /* the caller was interrupted, and did not call: it goes on at the return address itself */
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
