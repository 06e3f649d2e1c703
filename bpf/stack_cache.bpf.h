/* Takes the stacks of a task that leaves its CPU, without a walk each time. A thread sleeps in the same few places
 * again and again, and a walk of its kernel stack costs more than the rest of a switch. So each place is walked once
 * and recognised afterwards.
 *
 * User stack: the chain of frame pointers is followed, as the kernel does, and compared. A stack that was walked by
 * tables is not compared, because that walk costs no more.
 *
 * Kernel stack: each return address must be at the same distance from our own frame. The outermost one must be at the
 * same distance from the beginning of the stack, because the kernel leaves a random gap before it. The result of an
 * unwinder depends only on its start and on the addresses that it meets, so it would be the same again.
 *
 * A recognised stack has the ids that the stack maps gave it, until the generations change. Other stacks (deeper,
 * 32-bit, another architecture) are walked. */
#ifndef PROFILE_STACK_CACHE_BPF_H
#define PROFILE_STACK_CACHE_BPF_H

#include "record.bpf.h"

#ifdef __TARGET_ARCH_x86

#define CACHE_PLACES 512 /* on each CPU; a power of two */
#define CACHE_WAYS 4     /* of the places that one stack may be in */
#define CACHED_USER_FRAMES 64
#define CACHED_FRAMES 24       /* of the kernel stack */
#define KERNEL_STACK_WORDS 256 /* deeper ones are walked */
#define WORDS_AT_ONCE 16
#define FRAMES_BELOW_CONTEXT 2 /* our program and its caller: deeper in the stack than `ctx` */
#define FIRST_PAGE 4096        /* vm.mmap_min_addr is usually not less */
#define USER_CODE_SEGMENT 0x33 /* of 64-bit programs */

struct known_stack {
  __u64 valid_for; /* (drain_count + 1) * 2, and 1 more when the user stack is not compared; 0: empty */
  __u64 instruction;
  __s32 user_stack;
  __s32 kernel_stack;
  __u16 user_frames;
  __u16 kernel_frames;
  __u64 user[CACHED_USER_FRAMES];
  __u64 kernel[CACHED_FRAMES];
  __u8 at[CACHED_FRAMES]; /* the word with kernel[i]; of the last one, counted from the stack's beginning */
};

/* Functions with loops are global, so that the verifier checks each once and not for each path to it. Their counters
 * are in memory, because the verifier would follow every value of a variable. */
struct stack_view {
  volatile __u32 user_frames; /* volatile: otherwise the compiler keeps them in variables */
  volatile __u32 wanted;      /* how many return addresses of the kernel stack to find */
  volatile __u32 found;       /* how many of them are found */
  __u32 depth;                /* of the kernel stack, in words */
  __u32 next_victim;          /* the next way to overwrite */
  __u64 user[CACHED_USER_FRAMES];
  __u64 words[KERNEL_STACK_WORDS];
  __u64 kernel[FRAMES_BELOW_CONTEXT + CACHED_FRAMES + 1];
};

MAP(known_stacks, PERCPU_ARRAY, 0, __u32, struct known_stack, CACHE_PLACES);

MAP(stack_views, PERCPU_ARRAY, 0, __u32, struct stack_view, 1);

/* Follows the chain of frame pointers from `frame`. If it finds CACHED_USER_FRAMES frames, there may be more. */
__noinline int view_user_stack(struct stack_view *view, __u64 frame) {
  if (!view) return 0;
  view->user_frames = 0;
  for (__u32 i = 0; i < CACHED_USER_FRAMES; i++) {
    __u64 words[2]; /* the caller's frame, the return address */
    /* Most chains end below the first page, where a read would fail slowly. */
    if (frame < FIRST_PAGE) break;
    if (bpf_probe_read_user(words, sizeof(words), (void *)frame)) break;
    view->user[i] = words[1];
    view->user_frames = i + 1;
    frame = words[0];
  }
  return 0;
}

/* Whether the place holds the stacks of the view. */
__noinline int is_known(const struct known_stack *place, const struct stack_view *view) {
  if (!place || !view || place->user_frames != view->user_frames) return 0;
  for (__u32 i = 0; i < CACHED_USER_FRAMES; i++) {
    if (i >= place->user_frames) break;
    if (place->user[i] != view->user[i]) return 0;
  }
  for (__u32 i = 0; i < CACHED_FRAMES; i++) {
    if (i >= place->kernel_frames) break;
    __u32 word = place->at[i];
    if (i + 1 == place->kernel_frames) word = view->depth - word;
    if (word >= KERNEL_STACK_WORDS) return 0;
    KEEP_BELOW(word, KERNEL_STACK_WORDS);
    if (view->words[word] != place->kernel[i]) return 0;
  }
  return 1;
}

/* The place that holds the stacks of the view, among the CACHE_WAYS from `first` on. CACHE_PLACES: none. */
__noinline __u32 find_known(const struct stack_view *view, __u64 valid_for, __u64 instruction, __u32 first) {
  for (__u32 way = 0; way < CACHE_WAYS; way++) {
    const __u32 index = first + way;
    const struct known_stack *known = bpf_map_lookup_elem(&known_stacks, &index);
    if (known && known->valid_for == valid_for && known->instruction == instruction && is_known(known, view))
      return index;
  }
  return CACHE_PLACES;
}

/* Notes where the return addresses stand among the words of the kernel stack from `first` on. Returns 0 to go on behind
 * them. */
__noinline int note_some_kernel_words(struct known_stack *place, struct stack_view *view, __u32 first) {
  if (!place || !view) return 1;
  for (__u32 i = 0; i < WORDS_AT_ONCE; i++) {
    const __u32 word = first + i, found = view->found;
    if (word >= view->depth || found >= CACHED_FRAMES || found >= view->wanted) return 1;
    __u32 at = word;
    KEEP_BELOW(at, KERNEL_STACK_WORDS);
    const __u64 address = view->words[at];
    if (address != view->kernel[found + FRAMES_BELOW_CONTEXT]) continue;
    if (found + 1 == view->wanted) { /* the outermost one is the last word; an equal word before it is a leftover */
      place->kernel[found] = address;
      place->at[found] = (__u8)(view->depth - word);
      if (word + 1 == view->depth) view->found = found + 1;
    } else {
      place->kernel[found] = address;
      place->at[found] = (__u8)word;
      view->found = found + 1;
    }
  }
  return 0;
}

/* Notes where they stand on the whole stack. Returns how many it found, at most view->wanted. */
__noinline int note_kernel_words(struct known_stack *place, struct stack_view *view) {
  if (!place || !view) return 0;
  view->found = 0;
  for (__u32 first = 0; first < KERNEL_STACK_WORDS; first += WORDS_AT_ONCE) {
    if (note_some_kernel_words(place, view, first)) break;
  }
  place->kernel_frames = (__u16)view->found;
  return (int)view->found;
}

/* Walks the kernel stack and notes it. False: the whole of it could not be noted. */
static __always_inline bool note_kernel_stack(void *ctx, struct known_stack *place, struct stack_view *view) {
  place->kernel_frames = 0;
  if (!record_config.kernel_stacks) return true;
  const long bytes = bpf_get_stack(ctx, view->kernel, sizeof(view->kernel), 0);
  if (bytes <= 0 || bytes >= (long)sizeof(view->kernel)) return false;
  const __u32 all = (__u32)bytes / sizeof(__u64);
  if (all <= FRAMES_BELOW_CONTEXT) return false;
  view->wanted = all - FRAMES_BELOW_CONTEXT;
  return note_kernel_words(place, view) == (int)view->wanted;
}

/* As take_others(), for a program on sched_switch: `ctx` must be on the kernel stack of the task that leaves. */
static __always_inline bool take_known_stacks(void *ctx, enum walked walked, bool is_kernel_thread,
                                              struct sample *sample) {
  const __u32 zero = 0;
  struct stack_view *view = bpf_map_lookup_elem(&stack_views, &zero);
  if (!view) return take_others(ctx, walked, sample->generation, &sample->key);
  /* The registers with which the task entered the kernel. */
  const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
  __u64 instruction = 0;
  view->user_frames = 0;
  if (record_config.user_stacks && !is_kernel_thread) {
    instruction = regs->ip;
    if (walked == WALKED_NOT) {
      if (regs->cs != USER_CODE_SEGMENT) return take_others(ctx, walked, sample->generation, &sample->key);
      view_user_stack(view, regs->bp);
    }
  }
  view->depth = 0;
  if (record_config.kernel_stacks) {
    const __u64 depth = ((__u64)regs - (__u64)ctx) / sizeof(__u64);
    if (depth > KERNEL_STACK_WORDS) return take_others(ctx, walked, sample->generation, &sample->key);
    if (!bpf_probe_read_kernel(view->words, depth * sizeof(__u64), ctx)) view->depth = (__u32)depth;
  }
  if (view->user_frames >= CACHED_USER_FRAMES || (record_config.kernel_stacks && view->depth == 0)) {
    return take_others(ctx, walked, sample->generation, &sample->key);
  }

  /* For a user stack that was walked by tables, the place holds only the kernel stack. */
  const __u64 valid_for = ((__u64)sample->drain_count + 1) << 1 | (walked == WALKED_NOT ? 0 : 1);
  const __u64 caller = view->user_frames > 1 ? view->user[1] : 0;
  const __u64 hash = (instruction ^ caller << 16) * PLACE_FACTOR;
  const __u32 first = (__u32)(hash >> 40) & (CACHE_PLACES - CACHE_WAYS);
  const __u32 index = find_known(view, valid_for, instruction, first);
  const struct known_stack *known = bpf_map_lookup_elem(&known_stacks, &index);
  if (known) {
    if (walked == WALKED_NOT) sample->key.user_stack = known->user_stack;
    sample->key.kernel_stack = known->kernel_stack;
    return true;
  }

  const __u32 victim = first + (view->next_victim++ & (CACHE_WAYS - 1));
  struct known_stack *place = bpf_map_lookup_elem(&known_stacks, &victim);
  if (!place) return take_others(ctx, walked, sample->generation, &sample->key);
  place->valid_for = 0;
  if (!take_others(ctx, walked, sample->generation, &sample->key)) return false;
  if (!note_kernel_stack(ctx, place, view)) return true;
  place->instruction = instruction;
  place->user_stack = sample->key.user_stack;
  place->kernel_stack = sample->key.kernel_stack;
  place->user_frames = (__u16)view->user_frames;
  __builtin_memcpy(place->user, view->user, sizeof(place->user));
  place->valid_for = valid_for;
  return true;
}

#else

static __always_inline bool take_known_stacks(void *ctx, enum walked walked, bool is_kernel_thread,
                                              struct sample *sample) {
  return take_others(ctx, walked, sample->generation, &sample->key);
}

#endif

#endif
