/* Goes from a frame to its caller by the rule in the file's table (abi/unwind.h). */
#ifndef PROFILE_BY_RULE_BPF_H
#define PROFILE_BY_RULE_BPF_H

#include "caller.bpf.h"

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
  const bool is_signal = rule->flags & UNWIND_SIGNAL;
  if (cfa <= walk->sp && !is_signal && rule->ra != UNWIND_IN_REGISTER && rule->ra != UNWIND_SAME) {
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
  walk->was_interrupted = is_signal;
  if (is_signal) walk->stack_end = 0; /* the signal handler may have had its own stack */
  return go_to(walk, back, cfa);
}

#endif
