/* Makes the caller of a frame the current frame, and reads the registers that the way there needs. The rules of tables
 * (by_rule.bpf.h) and frame pointers (by_frame_pointer.bpf.h) both end here. */
#ifndef PROFILE_CALLER_BPF_H
#define PROFILE_CALLER_BPF_H

#include "walk_host.bpf.h"

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

/* Makes the caller the current frame. `back` is the return address, `cfa` the caller's stack pointer. Returns
 * WALK_GOES_ON, or why the walk ends. */
static __always_inline int go_to(struct walk *walk, __u64 back, __u64 cfa) {
  back = WITHOUT_AUTHENTICATION(back);
  if (back < LOWEST_CODE) return back == 0 && !walk->guessed ? WALK_ROOT_BY_FP : WALK_NO_CFI;
  walk->pc = back;
  walk->sp = cfa;
  if (walk->probe_area && back == walk->probe_area) {
#ifdef __TARGET_ARCH_x86
    walk->entry_sp = cfa - 8;
#else
    walk->entry_sp = cfa;
#endif
    real_return(walk->slot);
  }
  return WALK_GOES_ON;
}

#endif
