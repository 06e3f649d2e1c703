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

/* What a rule says of the caller lies in walk->next and not in registers, and each part is a function of its own:
 * otherwise the verifier goes through all combinations of them. */

/* Sets `at` to the address of the caller's register, or to 0 when it is not in memory. Returns 0, or a walk_end. */
static __always_inline int place_of(struct walk *walk, __u32 place, __s64 offset, __u64 *at) {
  *at = 0;
  if (place == UNWIND_AT_CFA) *at = walk->next.cfa + offset;
  if (place == UNWIND_AT_SP) *at = walk->sp + offset;
  if (place == UNWIND_AT_FP) {
    const int missing = need_fp(walk);
    if (missing) return missing;
    *at = walk->fp + offset;
  }
  return 0;
}

/* Sets next.cfa. Returns 0, or a walk_end. */
__noinline int find_cfa(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return WALK_NOT_READABLE;
  const struct unwind_rule *rule = &walk->rule;
  __u64 *cfa = &walk->next.cfa;
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

/* Sets next.back, the return address. Returns 0, or a walk_end. */
__noinline int find_return(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return WALK_NOT_READABLE;
  const struct unwind_rule *rule = &walk->rule;
  __u64 *back = &walk->next.back, at = 0;
  const int missing = place_of(walk, rule->ra, rule->ra_offset, &at);
  if (missing) return missing;
  if (at) return read_user(back, sizeof(*back), at) ? WALK_NOT_READABLE : 0;
#ifndef __TARGET_ARCH_x86
  if (rule->ra == UNWIND_SAME && walk->was_interrupted)
    return need_extra(walk) ? WALK_NO_REGISTER : (*back = walk->extra, 0);
#endif
  if (rule->ra == UNWIND_IN_REGISTER) return need_register(walk, (__u32)rule->ra_offset, back);
  return rule->ra == UNWIND_SAME ? WALK_NO_REGISTER : WALK_UNKNOWN_RULE;
}

/* How the caller's value of a register is known. */
enum caller_value {
  CALLER_SAME,
  CALLER_IN_MEMORY,   /* `saved` is its address */
  CALLER_IN_REGISTER, /* `saved` is the value */
  CALLER_LOST
};
static __always_inline enum caller_value find_saved(struct walk *walk, __u32 place, __s64 offset, __u64 *saved) {
  if (place == UNWIND_AT_CFA || place == UNWIND_AT_FP || place == UNWIND_AT_SP) {
    return place_of(walk, place, offset, saved) ? CALLER_LOST : CALLER_IN_MEMORY;
  }
  if (place == UNWIND_IN_REGISTER) {
    return need_register(walk, (__u32)offset, saved) ? CALLER_LOST : CALLER_IN_REGISTER;
  }
  return place == UNWIND_LOST ? CALLER_LOST : CALLER_SAME;
}
__noinline int find_saved_fp(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return CALLER_LOST;
  return find_saved(walk, walk->rule.fp, walk->rule.fp_offset, &walk->next.fp);
}
__noinline int find_saved_extra(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return CALLER_LOST;
  return find_saved(walk, walk->rule.extra, walk->rule.extra_offset, &walk->next.extra);
}

/* `how`: an enum caller_value. */
static __always_inline void take_saved(struct walk *walk, int how, __u32 lost, __u64 saved, __u64 *value, __u64 *at) {
  if (how == CALLER_SAME) return;
  walk->lost = how == CALLER_LOST ? walk->lost | lost : walk->lost & ~lost;
  if (how == CALLER_IN_MEMORY) *at = saved;
  if (how == CALLER_IN_REGISTER) {
    *value = saved;
    *at = 0;
  }
}

/* Goes to the caller by walk->rule. Returns WALK_GOES_ON, or why the walk ends. */
__noinline int by_rule(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return WALK_NOT_READABLE;
  const struct unwind_rule *rule = &walk->rule;
  int missing = find_cfa(slot);
  if (!missing) missing = find_return(slot);
  if (missing) return missing;
  const __u64 cfa = walk->next.cfa;
  const bool is_signal = rule->flags & UNWIND_SIGNAL;
  if (cfa <= walk->sp && !is_signal && rule->ra != UNWIND_IN_REGISTER && rule->ra != UNWIND_SAME) {
    return WALK_BACKWARDS;
  }
  /* Both places depend on this frame's registers, so they are found before a register changes. */
  const int extra = find_saved_extra(slot), fp = find_saved_fp(slot);
  take_saved(walk, extra, LOST_EXTRA, walk->next.extra, &walk->extra, &walk->extra_at);
  take_saved(walk, fp, LOST_FP, walk->next.fp, &walk->fp, &walk->fp_at);
  walk->was_interrupted = is_signal;
  if (is_signal) walk->stack_end = 0; /* the signal handler may have had its own stack */
  return go_to(walk, walk->next.back, cfa);
}

#endif
