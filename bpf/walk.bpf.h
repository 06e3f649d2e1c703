/* Walks the current task's user stack by the tables of its files (headers/abi/unwind.h). It reads the kernel's own tree
 * of mappings, without a lock and with nothing stored for a process, so it works from a program's first instruction on.
 * No CO-RE: kernel_layout has the places of what is read, so libbpf need not load the kernel's types. mapping.bpf.h
 * finds the mappings, frame.bpf.h goes from one frame to the next. */
#ifndef PROFILE_WALK_BPF_H
#define PROFILE_WALK_BPF_H

#include "frame.bpf.h"
#include "known_codes.bpf.h"
#include "known_functions.bpf.h"
#include "known_spaces.bpf.h"
#include "layout.bpf.h"
#include "mapping.bpf.h"
#include "registers.bpf.h"
#include "return_probes.bpf.h"
#include "sent_stacks.bpf.h"
#include "stack_hash.bpf.h"
#include "stack_window.bpf.h"
#include "walk_maps.bpf.h"

/* The result of a walk of a user stack. */
enum walked {
  WALKED,
  WALKED_NOT,        /* the kernel walks this stack itself */
  WALKED_LOST,       /* there was no room to send it */
  WALKED_UNSENT,     /* the walk is held: send_walked() before its hash is used */
  WALKED_UNFINISHED, /* the same; a table was missing, and user space can finish it: see keep_unfinished() */
};
static __always_inline bool is_held(enum walked walked) {
  return walked == WALKED_UNSENT || walked == WALKED_UNFINISHED;
}

static __always_inline __u64 current_sequence(const char *mm) {
  __u64 sequence = 0;
  if (layout.sequence == LAYOUT_VMACACHE) READ_AT(sequence, mm, mm_sequence);
  if (layout.sequence == LAYOUT_UNLOCKS || layout.sequence == LAYOUT_COUNTS) {
    __u32 word = 0;
    READ_AT(word, mm, mm_sequence);
    sequence = word;
  }
  return sequence;
}

static __always_inline bool is_being_written(__u64 sequence) {
  return layout.sequence == LAYOUT_COUNTS && (sequence & 1);
}

/* Whether a mapping has changed since begin_walk(). */
static __always_inline bool has_been_written(const struct walk *walk) {
  return current_sequence((const char *)walk->mm) != walk->sequence;
}

static __always_inline enum begun take_registers(struct walk *walk, const char *task) {
  if (layout.has_typed_pointers) {
    const __u64 *words = (const __u64 *)bpf_task_pt_regs((struct task_struct *)task);
    walk->registers_at = (__u64)words;
    return begin_with(walk, words);
  }
  __u64 from = 0;
  if (READ_AT(from, task, task_stack)) return NO_USER_STACK;
  return read_registers(walk, from + layout.task_regs_at);
}

/* Begins with the current task's registers. walk->tgid is set. Returns an enum begun. */
__noinline int begin_walk(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return NOT_WALKED;
  const char *task = current_task();
  const char *mm = NULL;
  if (TAKE_AT(mm, task, task_mm) || !mm) return NO_USER_STACK;
  const enum begun begun = take_registers(walk, task);
  if (begun != BEGUN) return begun;
  walk->fp_at = 0;
  walk->extra_at = 0;
  walk->lost = 0;
  walk->was_interrupted = 1;
  walk->guessed = 0;
  walk->is_unsure = 0;
  walk->stack_end = 0;
  walk->window_at = 0;
  walk->window_bytes = 0;
  walk->depth = 0;
  walk->stuck.depth = 0;
  walk->of_any_size = 0;
  walk->mm = (__u64)mm;
  walk->mappings_version = *(volatile __u32 *)&walk_state.mappings_version;
  walk->start_stack = 0;
  TAKE_AT(walk->start_stack, mm, mm_start_stack);
  TAKE_AT(walk->exec_id, task, task_exec_id);
  begin_hash(walk);
  begin_scripts(walk);
  walk->sequence = current_sequence(mm);
  begin_probes(walk, task, mm);
  enter_space(walk);
  walk->keep_nothing = layout.sequence == LAYOUT_NO_SEQUENCE || is_being_written(walk->sequence);
  /* execve() sets start_stack last in the new program's memory. Before the task changes to that memory, the old stack
   * is whole. */
  return walk->start_stack ? BEGUN : BEGUN_IN_EXEC;
}

/* Why a stack is walked once more: its engine was met behind frames of its code; the frames of its scripts do not fit
 * as they were taken; they do not fit at all, and are left out. */
enum again { AGAIN_NOT, AGAIN_FOR_CODE, AGAIN_SHIFTED, AGAIN_WITHOUT };

/* Walks from where begin_walk() has begun. Returns why the walk ends. All its walks are one loop, because the verifier
 * goes through what is called once for each place that calls it. */
static __always_inline int walk_to_end(struct walk *walk) {
  int end = WALK_NOT_READABLE;
#pragma clang loop unroll(disable)
  for (int again = AGAIN_NOT; again <= AGAIN_WITHOUT; again++) {
    if (again == AGAIN_FOR_CODE && (!walk->script.is_code_late || !walk->code_layout)) continue;
    if (again > AGAIN_FOR_CODE && do_scripts_fit(walk, end)) break;
    if (again == AGAIN_SHIFTED) {
      walk->script.met_first = walk->script.met;
      walk->script.shift_next = shift_of(walk, end);
      if (walk->script.shift_next == SHIFT_NONE) continue;
    }
    if (again != AGAIN_NOT && begin_walk(walk->slot) != BEGUN) return WALK_NOT_READABLE;
    if (again == AGAIN_SHIFTED) walk->script.shift = walk->script.shift_next;
    if (again == AGAIN_WITHOUT) {
      walk->script.met = walk->script.met_first;
      walk->script.missing = SCRIPT_NO_PLACE;
      walk->script.is_off = 1;
    }
    end = walk_frames(walk->slot);
    if (!are_scripts_wanted()) break;
  }
  return end;
}

static __always_inline struct walk *try_walk(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return NULL;
#ifdef PROFILE_PREEMPTIBLE
  /* The task may lose its CPU between these lines; see try_scratch(). */
  __sync_fetch_and_add(&walk->busy, 1);
  if (*(volatile __u64 *)&walk->busy != 1) {
    __sync_fetch_and_add(&walk->busy, -1);
    return NULL;
  }
#else
  if (walk->busy) return NULL;
  walk->busy = 1;
#endif
  walk->slot = slot;
  return walk;
}
/* A walk of this CPU that no other program uses, until give_walk(). NULL: all are under way. */
static __always_inline struct walk *take_walk(void) {
  struct walk *walk = try_walk(0);
#ifdef PROFILE_PREEMPTIBLE
  if (!walk) walk = try_walk(1);
  if (!walk) walk = try_walk(2);
  if (!walk) walk = try_walk(3);
#endif
  return walk;
}
static __always_inline void give_walk(struct walk *walk) {
#ifdef PROFILE_PREEMPTIBLE
  __sync_fetch_and_add(&walk->busy, -1);
#else
  walk->busy = 0;
#endif
}

/* A function of its own only for the verifier, which would go through it on each path. */
__noinline __u64 hash_of_walk(__u32 slot, __u64 last) {
  struct walk *walk = walk_of(slot);
  return walk ? end_hash(walk, last) : 0;
}

/* Puts the current task's user stack into the key. `held`: gets the walk if it stays as it is, and the caller must call
 * give_walk(). NULL: the sample counts later, so its stack is sent at once. */
static __always_inline enum walked walk_user_stack(__u32 generation, struct stack_key *key, struct walk **held) {
  struct walk *walk = take_walk();
  if (!walk) {
    key->user_hash = WALK_ALL_UNDER_WAY;
    return WALKED_NOT;
  }
  enum walked walked = WALKED;
  int end = WALK_NOT_MAPPED;
  walk->caller = key->caller;
  walk->tgid = key->tgid;
  switch (begin_walk(walk->slot)) {
    case BEGUN:
      end = walk_to_end(walk);
      count_scripts(walk);
      break;
    case BEGUN_IN_EXEC:
      add_frame(walk, WALK_IN_EXECVE, 0);
      end = WALK_ROOT;
      break;
    case NO_USER_STACK:
      key->user_stack = -EFAULT;
      goto done;
    default:
      walked = WALKED_NOT;
      goto done;
  }
  /* An address that is not mapped is no frame, unless it is the only one. */
  if (end == WALK_NOT_MAPPED && walk->depth > 1) walk->depth--;
  /* After the stuck frame the walk went on by frame pointers, which may skip a caller. So the end that it found is not
   * used. */
  const bool is_stuck = walk->stuck.depth != 0;

  if (is_stuck) {
    end = WALK_NO_TABLE_YET;
    walk->guessed = 0;
  }
  if (walk->is_unsure && end != WALK_ROOT) end = WALK_MAPS_CHANGED;
  if (walk_config.mode == WALK_POINTERS) {
    end = WALK_GOES_ON;
    walk->guessed = 0;
  }
  /* The mappings changed during the walk. What it saw was valid, but the next walk must not reuse it. */
  if (has_been_written(walk)) walk->keep_nothing = 1;
  key->user_stack = WALK_STACK | (walk->guessed ? WALK_STACK_GUESSED : 0) | (end & WALK_STACK_END);
  key->user_hash = hash_of_walk(walk->slot, (__u64)walk->depth << 32 | (__u32)key->user_stack);
  key->user_stack |= generation << PROFILE_STACK_GENERATION_SHIFT;
  /* The rest of the stack must not hold the address of a return probe, because user space cannot find the real return
   * address. */
  const bool can_be_finished = is_stuck && end == WALK_NO_TABLE_YET && !walk->probe_return;
  if (!held && can_be_finished &&
      keep_stack_of_span(walk, generation, key, hash_of_walk(walk->slot, bpf_ktime_get_ns()))) {
    goto done;
  }
  if (held && walk_config.sends_each_row) {
    *held = walk;
    return can_be_finished ? WALKED_UNFINISHED : WALKED_UNSENT;
  }
  if (!(generation == 0 ? send_stack(walk, &sent_0, 0, key->user_hash)
                        : send_stack(walk, &sent_1, 1, key->user_hash))) {
    walked = WALKED_LOST;
  }
  if (can_be_finished && walked == WALKED && held) {
    *held = walk;
    return WALKED_UNFINISHED;
  }
done:
  give_walk(walk);
  return walked;
}

#endif
