/* Goes from one frame of a user stack to its caller: by the rule in the file's table, or by the frame pointer where
 * there is no rule. It checks a frame pointer without a rule before it reads there. A failed read is a page fault and
 * costs as much as a hundred frames. */
#ifndef PROFILE_FRAME_BPF_H
#define PROFILE_FRAME_BPF_H

#define LOST_FP 1
#define LOST_EXTRA 2
/* In bytes of code. A longer function makes calls, and so it has a frame. */
#define LARGEST_LEAF 4096
/* In bytes. So close to the beginning of the stack there is no room for a caller's frame. */
#define NEXT_TO_START 128

static __always_inline long read_user(void *to, __u32 bytes, __u64 from) {
  return bpf_probe_read_user(to, bytes, (void *)from);
}

#ifdef __TARGET_ARCH_x86
#define RETURN_BYTES 8 /* bytes of the stack that a call takes */
#define WITHOUT_AUTHENTICATION(address) (address)
#else
#define RETURN_BYTES 0
#define WITHOUT_AUTHENTICATION(address) ((address)&0xffffffffffffULL)
#endif

/* Reads the frame pointer if it is not known yet. Returns 0, or a walk_end that says why it cannot be known. */
static __always_inline int need_fp(struct walk *walk) {
  if (walk->lost & LOST_FP) return WALK_NO_REGISTER;
  const __u64 from = walk->fp_at;
  if (!from) return 0;
  walk->fp_at = 0;
  return read_user(&walk->fp, sizeof(walk->fp), from) ? WALK_NOT_READABLE : 0;
}
static __always_inline int need_extra(struct walk *walk) {
  if (walk->lost & LOST_EXTRA) return WALK_NO_REGISTER;
  const __u64 from = walk->extra_at;
  if (!from) return 0;
  walk->extra_at = 0;
  return read_user(&walk->extra, sizeof(walk->extra), from) ? WALK_NOT_READABLE : 0;
}

/* Gets the value of a register in this frame, by DWARF's number. Returns 0, or a walk_end. */
static __always_inline int need_register(struct walk *walk, __u32 number, __u64 *value) {
  int missing = 0;
  if (number == REGISTER_SP) {
    *value = walk->sp;
  } else if (number == REGISTER_FP) {
    missing = need_fp(walk);
    *value = walk->fp;
  } else if (number == REGISTER_EXTRA) {
    missing = need_extra(walk);
    *value = walk->extra;
  } else if (walk->depth == 1 && !name_registers(walk->slot)) {
    *value = walk->innermost[number & (REGISTERS - 1)];
  } else {
    missing = WALK_NO_REGISTER;
  }
  return missing;
}

#include "row.bpf.h"

/* --- The caller --------------------------------------------------------------------------------------------------- */

/* Puts the real return address into walk->pc, because a return probe has put its trampoline there. walk->sought: the
 * stack pointer at the function's first instruction. */
__noinline int real_return(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return 0;
  __u64 instance = walk->probe_return;
  for (int i = 0; i < 64; i++) {
    __u64 stack = 0, address = 0;
    if (!instance || READ_AT(stack, instance, return_stack) || READ_AT(address, instance, return_address)) return 0;
    if (stack == walk->sought && address != walk->probe_area) {
      walk->pc = address;
      walk->probe_return = instance;
      return 0;
    }
    if (READ_AT(instance, instance, return_next)) return 0;
  }
  return 0;
}

/* Makes the caller the current frame. `back` is the return address, `cfa` the caller's stack pointer. Returns
 * WALK_GOES_ON, or why the walk ends. */
static __always_inline int go_to(struct walk *walk, __u64 back, __u64 cfa) {
  back = WITHOUT_AUTHENTICATION(back);
  if (back < LOWEST_CODE) return back == 0 && !walk->guessed ? WALK_ROOT_BY_FP : WALK_NO_CFI;
  walk->pc = back;
  walk->sp = cfa;
  if (walk->probe_area && back == walk->probe_area) {
#ifdef __TARGET_ARCH_x86
    walk->sought = cfa - 8;
#else
    walk->sought = cfa;
#endif
    real_return(walk->slot);
  }
  return WALK_GOES_ON;
}

/* Computes the CFA by a short rule, which is the code itself. Returns 0, or a walk_end. */
static __always_inline int short_cfa(struct walk *walk, __u32 code, __u64 *cfa) {
  *cfa = walk->sp;
  if (code & UNWIND_SHORT_BY_FP) {
    const int missing = need_fp(walk);
    if (missing) return missing;
    *cfa = walk->fp;
  }
  *cfa += (code >> UNWIND_SHORT_CFA_SHIFT & UNWIND_SHORT_CFA_MOST) * 8;
  return 0;
}

#ifdef __TARGET_ARCH_x86
/* Most rules are short rules. The return address lies in the word below the CFA. */
static __always_inline int by_short_rule(struct walk *walk, __u32 code) {
  const __u32 fp_below = code >> UNWIND_X86_64_FP_SHIFT & UNWIND_X86_64_SLOT_MOST;
  const __u32 extra_below = code >> UNWIND_X86_64_EXTRA_SHIFT & UNWIND_X86_64_SLOT_MOST;
  __u64 cfa, back;
  const int unknown = short_cfa(walk, code, &cfa);
  if (unknown) return unknown;
  if (cfa <= walk->sp) return WALK_BACKWARDS;
  __u64 both[2];
  if (!read_pair(walk, both, cfa - 16)) {
    back = both[1];
  } else if (fp_below == 1 || read_user(&back, sizeof(back), cfa - 8)) {
    return WALK_NOT_READABLE; /* the word alone may be the first of its page */
  }
  if (fp_below == 1) {
    walk->fp = both[0];
    walk->fp_at = 0;
    walk->lost &= ~LOST_FP;
  } else if (fp_below) {
    walk->fp_at = cfa - 8 - fp_below * 8;
    walk->lost &= ~LOST_FP;
  }
  if (extra_below) {
    walk->extra_at = cfa - 8 - extra_below * 8;
    walk->lost &= ~LOST_EXTRA;
  }
  walk->was_interrupted = 0;
  return go_to(walk, back, cfa);
}
#else
static __always_inline int by_short_rule(struct walk *walk, __u32 code) {
  const __u32 fp_below = code & UNWIND_ARM64_SLOT_MOST;
  __u64 cfa, back;
  const int unknown = short_cfa(walk, code, &cfa);
  if (unknown) return unknown;
  if (fp_below) {
    __u64 both[2];
    if (cfa <= walk->sp) return WALK_BACKWARDS;
    if (read_pair(walk, both, cfa - fp_below * 8)) return WALK_NOT_READABLE;
    walk->fp = both[0];
    walk->fp_at = 0;
    walk->lost &= ~LOST_FP;
    back = both[1];
  } else {
    /* The return address is in the link register. Only the innermost frame and a frame that a signal interrupted still
     * have it. */
    if (!walk->was_interrupted) return WALK_NO_REGISTER;
    if (cfa < walk->sp) return WALK_BACKWARDS;
    const int missing = need_extra(walk);
    if (missing) return missing;
    back = walk->extra;
  }
  walk->was_interrupted = 0;
  return go_to(walk, back, cfa);
}
#endif

/* Sets `at` to the address of the caller's register, or to 0 when it is not in memory. Returns 0, or a walk_end. */
static __always_inline int place_of(struct walk *walk, __u32 place, __s64 offset, __u64 cfa, __u64 *at) {
  *at = 0;
  if (place == UNWIND_AT_CFA) *at = cfa + offset;
  if (place == UNWIND_AT_SP) *at = walk->sp + offset;
  if (place == UNWIND_AT_FP) {
    const int missing = need_fp(walk);
    if (missing) return missing;
    *at = walk->fp + offset;
  }
  return 0;
}

static __always_inline int cfa_of(struct walk *walk, const struct unwind_rule *rule, __u64 *cfa) {
  if (rule->cfa == UNWIND_CFA_STUB) {
    *cfa = walk->sp + rule->cfa_offset + ((walk->pc & 15) >= rule->cfa_register ? 8 : 0);
    return 0;
  }
  const int missing = need_register(walk, rule->cfa_register, cfa);
  if (missing) return missing;
  *cfa += rule->cfa_offset;
  if (rule->cfa == UNWIND_CFA_MEMORY && read_user(cfa, sizeof(*cfa), *cfa)) return WALK_NOT_READABLE;
  return 0;
}

/* Gets the return address by the rule. Returns 0, or a walk_end. */
static __always_inline int return_of(struct walk *walk, const struct unwind_rule *rule, __u64 cfa, __u64 *back) {
  __u64 at = 0;
  const int missing = place_of(walk, rule->ra, rule->ra_offset, cfa, &at);
  if (missing) return missing;
  if (at) return read_user(back, sizeof(*back), at) ? WALK_NOT_READABLE : 0;
#ifndef __TARGET_ARCH_x86
  if (rule->ra == UNWIND_SAME && walk->was_interrupted)
    return need_extra(walk) ? WALK_NO_REGISTER : (*back = walk->extra, 0);
#endif
  if (rule->ra == UNWIND_IN_REGISTER) return need_register(walk, (__u32)rule->ra_offset, back);
  return rule->ra == UNWIND_SAME ? WALK_NO_REGISTER : WALK_UNKNOWN_RULE;
}

static __always_inline int by_rule(struct walk *walk, const struct unwind_rule *rule) {
  __u64 cfa = 0, back = 0, fp_at = 0, extra_at = 0, fp = 0, extra = 0;
  int missing = cfa_of(walk, rule, &cfa);
  if (missing) return missing;
  missing = return_of(walk, rule, cfa, &back);
  if (missing) return missing;
  if (cfa <= walk->sp && !rule->is_signal && rule->ra != UNWIND_IN_REGISTER && rule->ra != UNWIND_SAME) {
    return WALK_BACKWARDS;
  }
  /* Both places depend on this frame's registers, so they are computed before a register changes. */
  const bool fp_in_memory = rule->fp == UNWIND_AT_CFA || rule->fp == UNWIND_AT_FP || rule->fp == UNWIND_AT_SP;
  const bool extra_in_memory =
      rule->extra == UNWIND_AT_CFA || rule->extra == UNWIND_AT_FP || rule->extra == UNWIND_AT_SP;
  const int extra_missing = place_of(walk, rule->extra, rule->extra_offset, cfa, &extra_at);
  const int fp_missing = place_of(walk, rule->fp, rule->fp_offset, cfa, &fp_at);
  __u32 lost = walk->lost;
  if (rule->extra == UNWIND_IN_REGISTER) {
    if (need_register(walk, (__u32)rule->extra_offset, &extra)) lost |= LOST_EXTRA;
  }
  if (rule->fp == UNWIND_IN_REGISTER) {
    if (need_register(walk, (__u32)rule->fp_offset, &fp)) lost |= LOST_FP;
  }
  if (rule->extra == UNWIND_LOST || extra_missing) lost |= LOST_EXTRA;
  if (rule->fp == UNWIND_LOST || fp_missing) lost |= LOST_FP;
  if (extra_in_memory && !extra_missing) {
    walk->extra_at = extra_at;
    lost &= ~LOST_EXTRA;
  } else if (rule->extra == UNWIND_IN_REGISTER && !(lost & LOST_EXTRA)) {
    walk->extra = extra;
    walk->extra_at = 0;
  }
  if (fp_in_memory && !fp_missing) {
    walk->fp_at = fp_at;
    lost &= ~LOST_FP;
  } else if (rule->fp == UNWIND_IN_REGISTER && !(lost & LOST_FP)) {
    walk->fp = fp;
    walk->fp_at = 0;
  }
  walk->lost = lost;
  walk->was_interrupted = rule->is_signal;
  if (rule->is_signal) walk->stack_end = 0; /* the signal handler may have had its own stack */
  return go_to(walk, back, cfa);
}

/* This header needs the functions above. */
#include "by_frame_pointer.bpf.h"

/* Remembers the first frame whose table is missing. It reads the registers now, because they may be saved below this
 * frame, and user space has no copy of that part of the stack. */
__noinline int note_stuck(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk || walk->stuck.depth) return 0;
  if (need_fp(walk)) walk->lost |= LOST_FP;
  if (need_extra(walk)) walk->lost |= LOST_EXTRA;
  walk->stuck.pc = walk->pc;
  walk->stuck.sp = walk->sp;
  walk->stuck.fp = walk->fp;
  walk->stuck.extra = walk->extra;
  walk->stuck.file = walk->key;
  walk->stuck.depth = walk->depth;
  walk->stuck.lost = walk->lost;
  walk->stuck.was_interrupted = walk->was_interrupted;
  return 0;
}

/* Where the current frame is: in the call, not behind it. */
static __always_inline __u64 place_of_frame(const struct walk *walk) {
  return walk->was_interrupted ? walk->pc : walk->pc - 1;
}

/* Finds the mapping that holds the current frame. Returns WALK_GOES_ON, or why the walk ends. */
static __always_inline int find_frame(struct walk *walk) {
  const struct walk_mapping *mapping = &walk->mapping;
  const __u64 sought = place_of_frame(walk);
  if (sought - mapping->start < mapping->bytes) return WALK_GOES_ON;
  walk->sought = sought;
  const int found = find_mapping(walk->slot);
  if (found == FOUND) return WALK_GOES_ON;
  return found == FOUND_TORN ? WALK_MAPS_CHANGED : WALK_NOT_MAPPED;
}

/* Goes from the current frame, which find_frame() has found, to its caller. Returns WALK_GOES_ON, or why the walk
 * ends. */
static __always_inline int leave_frame(struct walk *walk) {
  const struct walk_mapping *mapping = &walk->mapping;
  const __u64 sought = place_of_frame(walk);
  __u32 code = 0;
  if (mapping->kind == MAPPING_TABLE) code = code_at(walk, mapping, sought - mapping->bias);
  if (mapping->kind == MAPPING_PENDING) note_stuck(walk->slot);
  if (code & UNWIND_SHORT) return by_short_rule(walk, code);
  if (!code) return by_frame_pointer(walk->slot);
  const __u32 at = mapping->rules_at + code * sizeof(struct unwind_rule);
  const char *slab = slab_of(at);
  if (!slab) return WALK_UNKNOWN_RULE;
  walk->rule = *(struct unwind_rule *)(slab + (at & (WALK_SLAB_BYTES - sizeof(struct unwind_rule))));
  if (walk->rule.cfa == UNWIND_CFA_END) return WALK_ROOT;
  if (walk->rule.cfa == UNWIND_CFA_NONE || walk->rule.cfa == UNWIND_CFA_UNKNOWN) return by_frame_pointer(walk->slot);
  if (walk->rule.cfa == UNWIND_CFA_OTHER_STACK) {
    walk->sp = 0; /* the caller's frame may lie at any address */
    walk->stack_end = 0;
  }
  return by_rule(walk, &walk->rule);
}

#endif
