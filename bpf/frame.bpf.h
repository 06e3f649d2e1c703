/* Walks from one frame of a user stack to the next: by the rule in the file's table, or by the frame pointer where
 * there is no rule. walk_host.bpf.h says what it needs of the side that runs it. */
#ifndef PROFILE_FRAME_BPF_H
#define PROFILE_FRAME_BPF_H

#include "by_frame_pointer.bpf.h"
#include "by_rule.bpf.h"
#include "row.bpf.h"
#include "script.bpf.h"
#include "stack_hash.bpf.h"

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

/* Finds the mapping that holds the current frame. Returns WALK_GOES_ON, or why the walk ends. */
static __always_inline int find_frame(struct walk *walk) {
  const struct walk_mapping *mapping = &walk->mapping;
  const __u64 place = place_of_frame(walk);
  if (place - mapping->start < mapping->bytes) return WALK_GOES_ON;
  walk->place = place;
  const int found = find_mapping(walk->slot);
  if (found == FOUND) {
    if (may_be_engine(walk)) note_code_layout(walk->slot);
    return WALK_GOES_ON;
  }
  return found == FOUND_TORN ? WALK_MAPS_CHANGED : WALK_NOT_MAPPED;
}

/* Goes from the current frame, which find_frame() has found, to its caller. Returns WALK_GOES_ON, or why the walk
 * ends. */
static __always_inline int leave_frame(struct walk *walk) {
  const struct walk_mapping *mapping = &walk->mapping;
  const __u64 place = place_of_frame(walk);
  __u32 code = 0;
  if (mapping->kind == MAPPING_TABLE) code = code_at(walk, mapping, place - mapping->bias);
  if (mapping->kind == MAPPING_PENDING) note_stuck(walk->slot);
  const __u64 sp = walk->sp;
  if (code & UNWIND_SHORT) {
    const int end = by_short_rule(walk, code);
#ifdef __TARGET_ARCH_x86
    if (code & UNWIND_X86_64_INTERPRETER && end == WALK_GOES_ON) note_interpreter(walk, sp, place - mapping->bias);
#endif
    return end;
  }
  if (!code) {
    const int end = leave_java_frame(walk);
    return end == JAVA_NOT ? by_frame_pointer(walk->slot) : end;
  }
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
  const int end = by_rule(walk->slot);
  if (walk->rule.flags & UNWIND_INTERPRETER && end == WALK_GOES_ON) note_interpreter(walk, sp, place - mapping->bias);
  return end;
}

/* Adds the current frame to the stack, and goes to its caller. Returns WALK_GOES_ON, or why the walk ends. When it is
 * the turn of a script, SCRIPT_GOES_ON: walk->script.end has the result for this frame. */
__noinline int walk_frame(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return WALK_NOT_READABLE;
  walk->script.end = WALK_GOES_ON;
  if (is_turn_of_script(walk)) return SCRIPT_GOES_ON;
  const __u32 depth = walk->depth;
  if (depth >= walk_config.depth) return WALK_TOO_DEEP;
  const __u64 shown = walk->was_interrupted && depth ? walk->pc | WALK_INTERRUPTED : walk->pc;
  const int found = find_frame(walk);
  if (found != WALK_GOES_ON) {
    add_frame(walk, shown, 0);
    return found;
  }
  walk->script.identity = walk->mapping.identity;
  walk->left_fp = 0;
  walk->script.java_callee = walk->script.java;
  walk->script.java = JAVA_NONE;
  walk->script.java_count = 0;
  walk->script.java_next = 0;
  walk->frames[depth & (WALK_MOST_FRAMES - 1)] = shown;
  walk->depth = depth + 1;
  const int end = leave_frame(walk);
  if (begin_run(walk) || begin_code(walk)) {
    walk->script.end = end;
    if (is_turn_of_script(walk)) return SCRIPT_GOES_ON;
    return end;
  }
  add_to_hash(walk, shown ^ walk->script.identity);
  return end;
}

/* In two loops, because the verifier goes through each of them turn by turn. */
#define FRAMES_AT_ONCE 27
__noinline int walk_some_frames(__u32 slot) {
  for (int i = 0; i < FRAMES_AT_ONCE; i++) {
    int end = walk_frame(slot);
    if (are_scripts_wanted() && end == SCRIPT_GOES_ON) end = show_script(slot);
    if (end != WALK_GOES_ON) return end;
  }
  return WALK_GOES_ON;
}
__noinline int walk_frames(__u32 slot) {
  for (int i = 0; i < WALK_MOST_FRAMES / FRAMES_AT_ONCE + 1; i++) {
    const int end = walk_some_frames(slot);
    if (end != WALK_GOES_ON) return end;
  }
  return WALK_TOO_DEEP;
}

#endif
