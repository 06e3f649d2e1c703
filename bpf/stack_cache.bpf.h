/* The stacks of a task that leaves its CPU, without walking them each time. A thread goes to sleep in the same few
 * places over and over, and a walk of its kernel stack costs more than all the rest of a switch; so each place is
 * walked once and afterwards only recognised:
 *
 *   user    unless it was walked by tables, which costs no more: the chain of frame pointers is followed here, as the
 *           kernel does, and compared;
 *   kernel  every return address must stand where it stood: as far from our own frame, and the outermost one as far
 * from the beginning of the stack, because the kernel leaves a random gap before it. What an unwinder finds follows
 *           from where it starts and from the addresses it meets on its way, so it would find the same again.
 *
 * What is recognised has the ids that the stack maps gave it, which hold for one turn of the generations. What does not
 * fit (deeper, 32-bit, another architecture) is walked. */
#ifndef PROFILE_STACK_CACHE_BPF_H
#define PROFILE_STACK_CACHE_BPF_H

#include "record.bpf.h"

#ifdef __TARGET_ARCH_x86

#define CACHE_PLACES 512 /* a CPU; a power of two */
#define CACHE_WAYS 4     /* of them that one place may be in */
#define CACHED_USER_FRAMES 64
#define CACHED_FRAMES 24       /* of the kernel */
#define KERNEL_STACK_WORDS 256 /* as deep as may be */
#define FRAMES_BELOW_CONTEXT 2 /* our program, and what called it: deeper in the stack than what we are given */
#define FIRST_PAGE 4096        /* vm.mmap_min_addr is not less */
#define USER_CODE_SEGMENT 0x33 /* of 64-bit programs */

struct known_stack {
  __u64 drain; /* of the generations, + 1, times two, + 1 when the user stack is not its matter; 0: nothing is known */
  __u64 instruction;
  __s32 user_stack;
  __s32 kernel_stack;
  __u16 user_frames;
  __u16 kernel_frames;
  __u64 user[CACHED_USER_FRAMES];
  __u64 kernel[CACHED_FRAMES];
  __u8 at[CACHED_FRAMES]; /* which word of the kernel stack holds kernel[i]; of the last one, counted from the other end
                           */
};

/* What loops is a function by itself, not static: the verifier then looks at it once and not for each way to it. And
 * what it counts stands in memory, because every value of a variable would be followed. */
struct stack_view {
  volatile __u32 user_frames; /* volatile, or the compiler makes variables of them */
  volatile __u32 wanted;      /* return addresses of the kernel stack, */
  volatile __u32 found;       /* and of them */
  __u32 depth;                /* of the kernel stack, in words */
  __u32 next_victim;          /* among the ways */
  __u64 user[CACHED_USER_FRAMES];
  __u64 words[KERNEL_STACK_WORDS];
  __u64 kernel[FRAMES_BELOW_CONTEXT + CACHED_FRAMES + 1];
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __type(key, __u32);
  __type(value, struct known_stack);
  __uint(max_entries, CACHE_PLACES);
} known_stacks SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __type(key, __u32);
  __type(value, struct stack_view);
  __uint(max_entries, 1);
} stack_views SEC(".maps");

/* Follows the chain of frame pointers from `frame`; CACHED_USER_FRAMES of them may be too few. */
__noinline int view_user_stack(struct stack_view *view, __u64 frame) {
  if (!view) return 0;
  view->user_frames = 0;
  for (__u32 i = 0; i < CACHED_USER_FRAMES; i++) {
    __u64 words[2]; /* the caller's frame, the return address */
    /* Where no page can be, a read would fail the slow way; most chains end so. */
    if (frame < FIRST_PAGE) break;
    if (bpf_probe_read_user(words, sizeof(words), (void *)frame)) break;
    view->user[i] = words[1];
    view->user_frames = i + 1;
    frame = words[0];
  }
  return 0;
}

/* Whether the place is that of the view. */
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

/* Which of the places from `first` on is that of the view; CACHE_PLACES: none. */
__noinline __u32 find_known(const struct stack_view *view, __u64 drain, __u64 instruction, __u32 first) {
  for (__u32 way = 0; way < CACHE_WAYS; way++) {
    const __u32 index = first + way;
    const struct known_stack *known = bpf_map_lookup_elem(&known_stacks, &index);
    if (known && known->drain == drain && known->instruction == instruction && is_known(known, view)) return index;
  }
  return CACHE_PLACES;
}

/* Notes where on the kernel stack its return addresses stand, as many as wanted. Returns how many it found. */
__noinline int note_kernel_words(struct known_stack *place, struct stack_view *view) {
  if (!place || !view) return 0;
  view->found = 0;
  for (__u32 word = 0; word < KERNEL_STACK_WORDS; word++) {
    const __u32 found = view->found;
    if (word >= view->depth || found >= CACHED_FRAMES || found >= view->wanted) break;
    __u32 at = word;
    KEEP_BELOW(at, KERNEL_STACK_WORDS);
    const __u64 address = view->words[at];
    if (address != view->kernel[found + FRAMES_BELOW_CONTEXT]) continue;
    if (found + 1 == view->wanted) { /* the outermost one; what reads so farther in was left there by somebody else */
      place->kernel[found] = address;
      place->at[found] = (__u8)(view->depth - word);
      if (word + 1 == view->depth) view->found = found + 1;
    } else {
      place->kernel[found] = address;
      place->at[found] = (__u8)word;
      view->found = found + 1;
    }
  }
  place->kernel_frames = (__u16)view->found;
  return (int)view->found;
}

/* Walks the kernel stack and notes it; false when that cannot be done of all of it. */
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

/* As take_others(), for a program on sched_switch, whose context is on the stack of the task that leaves. */
static __always_inline bool take_known_stacks(void *ctx, enum walked walked, bool is_kernel_thread,
                                              struct sample *sample) {
  const __u32 zero = 0;
  struct stack_view *view = bpf_map_lookup_elem(&stack_views, &zero);
  if (!view) return take_others(ctx, walked, sample->generation, &sample->key);
  /* With these it entered the kernel. */
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

  /* Of one walk the place has the kernel's part alone. */
  const __u64 drain = ((__u64)sample->drain_count + 1) << 1 | (walked == WALKED_NOT ? 0 : 1);
  const __u64 caller = view->user_frames > 1 ? view->user[1] : 0;
  const __u64 hash = (instruction ^ caller << 16) * 0x9e3779b97f4a7c15ULL;
  const __u32 first = (__u32)(hash >> 40) & (CACHE_PLACES - CACHE_WAYS);
  const __u32 index = find_known(view, drain, instruction, first);
  const struct known_stack *known = bpf_map_lookup_elem(&known_stacks, &index);
  if (known) {
    if (walked == WALKED_NOT) sample->key.user_stack = known->user_stack;
    sample->key.kernel_stack = known->kernel_stack;
    return true;
  }

  const __u32 victim = first + (view->next_victim++ & (CACHE_WAYS - 1));
  struct known_stack *place = bpf_map_lookup_elem(&known_stacks, &victim);
  if (!place) return take_others(ctx, walked, sample->generation, &sample->key);
  place->drain = 0;
  if (!take_others(ctx, walked, sample->generation, &sample->key)) return false;
  if (!note_kernel_stack(ctx, place, view)) return true;
  place->instruction = instruction;
  place->user_stack = sample->key.user_stack;
  place->kernel_stack = sample->key.kernel_stack;
  place->user_frames = (__u16)view->user_frames;
  __builtin_memcpy(place->user, view->user, sizeof(place->user));
  place->drain = drain;
  return true;
}

#else

static __always_inline bool take_known_stacks(void *ctx, enum walked walked, bool is_kernel_thread,
                                              struct sample *sample) {
  return take_others(ctx, walked, sample->generation, &sample->key);
}

#endif

#endif
