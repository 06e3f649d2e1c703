/* Goes from a frame to its caller by the frame pointer, where the code has no table or no table yet. It follows a frame
 * pointer only to an aligned place on the same stack, not below the stack pointer, and checks that before it reads
 * there. Where nothing but frame pointers is asked for, no table says where the stack changes, as in Go's runtime: then
 * it follows one to another stack if a call stands there. */
#ifndef PROFILE_BY_FRAME_POINTER_BPF_H
#define PROFILE_BY_FRAME_POINTER_BPF_H

#include "caller.bpf.h"

/* In bytes of code. A longer function makes calls, and so it has a frame. */
#define LARGEST_LEAF 4096
/* In bytes. So close to the beginning of the stack there is no room for a caller's frame. */
#define NEXT_TO_START 128

/* Whether a call of a form that compilers use ends at `back`, or code stands there to which a jump returns.
 * - Go lets each goroutine return into runtime.goexit: there a no-operation stands before `back`, and a call behind it.
 *   runtime/asm_amd64.s, asm_arm64.s
 * - HotSpot's interpreter puts the return address on the stack itself, and jumps. The code there takes the stack
 * pointer from the frame pointer's frame: the pointer (until JDK 21) or the words between the two. After a
 * deoptimisation it only forgets it. templateInterpreterGenerator_x86.cpp, _aarch64.cpp */
#ifdef __TARGET_ARCH_x86
/* The first eight bytes of that code. */
#define HOTSPOT_TAKES_POINTER 0xf045c748f0658b48ULL  /* mov rsp, [rbp-16]; mov qword [rbp-16], 0 */
#define HOTSPOT_TAKES_WORDS 0xcd648d48f04d8b48ULL    /* mov rcx, [rbp-16]; lea rsp, [rbp+rcx*8] */
#define HOTSPOT_TAKES_WORDS_28 0xd5648d4af0558b4cULL /* since JDK 28: mov r10, [rbp-16]; lea rsp, [rbp+r10*8] */
#define HOTSPOT_FORGETS 0x00000000f045c748ULL        /* mov qword [rbp-16], 0 */
static __always_inline bool is_behind_call(struct walk *walk, __u64 back) {
  const __u8 *code = (const __u8 *)walk->raw, *next = code + 8;
  if (read_user(walk->raw, 16, back - 8)) return false;
  const __u64 behind = walk->raw[1];
  if (behind == HOTSPOT_TAKES_POINTER || behind == HOTSPOT_TAKES_WORDS || behind == HOTSPOT_TAKES_WORDS_28 ||
      behind == HOTSPOT_FORGETS) {
    return true;
  }
  if (code[3] == 0xe8 || (code[7] == 0x90 && next[0] == 0xe8 && next[5] == 0x90)) return true; /* call offset */
  /* call *: 2, 3, 4, 6 or 7 bytes, with an offset of 0, 1 or 4 bytes */
  return (code[6] == 0xff && (code[7] & 0x38) == 0x10) || (code[5] == 0xff && (code[6] & 0x38) == 0x10) ||
         (code[4] == 0xff && (code[5] & 0x38) == 0x10) || (code[2] == 0xff && (code[3] & 0x38) == 0x10) ||
         (code[1] == 0xff && (code[2] & 0x38) == 0x10);
}
#else
static __always_inline bool is_behind_call(struct walk *walk, __u64 back) {
  const __u32 *code = (const __u32 *)walk->raw;
  if (read_user(walk->raw, 12, back - 4)) return false;
  const bool calls_next = (code[1] & 0xfc000000) == 0x94000000;    /* bl */
  if (code[1] == 0xf85f03b4 && code[2] == 0xf81f03bf) return true; /* ldur x20, [x29, #-16]; stur xzr, [x29, #-16] */
  if (code[1] == 0xf85f03a8 && code[2] == 0x8b080fb4) return true; /* ldur x8, [x29, #-16]; add x20, x29, x8, lsl #3 */
  return (code[0] & 0xfc000000) == 0x94000000 || (code[0] & 0xfffffc1f) == 0xd63f0000 /* blr */ ||
         (code[0] == 0xaa0003e0 /* mov x0, x0 */ && calls_next);
}
#endif

#ifdef __TARGET_ARCH_x86
#define LEAF_RETURN 2 /* index in walk::raw of the return address; the words before it hold code */
/* Whether the leaf has no frame of its own, so that its frame pointer would skip the caller. Then the word at the stack
 * pointer is the return address of a call to the leaf's beginning, and the leaf does not begin with what makes a frame:
 * push, sub, or Go's check of the stack's end. */
static __always_inline bool is_bare_leaf(struct walk *walk) {
  const __u8 *code = (const __u8 *)walk->raw;
  __u64 *back = &walk->raw[LEAF_RETURN];
  if (walk->depth != 1 || read_user(back, sizeof(*back), walk->sp) || *back < LOWEST_CODE) return false;
  if (read_user(walk->raw, 8, *back - 8) || code[3] != 0xe8) return false;
  const __u64 begin = *back + *(const __s32 *)(code + 4);
  if (walk->pc - begin >= LARGEST_LEAF || read_user(walk->raw, 8, begin)) return false;
  const bool makes_room = code[0] == 0x48 && (code[1] == 0x81 || code[1] == 0x83) && code[2] == 0xec;
  const bool looks_for_room = (code[0] == 0x49 && code[1] == 0x3b) || code[0] == 0x64;
  return code[0] != 0x55 && code[0] != 0xf3 && !makes_room && !looks_for_room;
}

/* Python's trampolines for `perf` (Python/asm_trampoline.S): code without a file that makes room for a word, calls, and
 * returns. It leaves the frame pointer as it is. */
#define TRAMPOLINE_END 0xc308c48348ULL /* add rsp, 8; ret */
#define TRAMPOLINE_END_MASK 0xffffffffffULL
#define TRAMPOLINE_BYTES 16
static __always_inline bool is_trampoline(struct walk *walk) {
  if (walk->mapping.identity || walk->was_interrupted || walk->code_layout) return false;
  if (read_user(walk->raw, 8, walk->pc) || (walk->raw[0] & TRAMPOLINE_END_MASK) != TRAMPOLINE_END) return false;
  return !read_user(&walk->raw[LEAF_RETURN], 8, walk->sp + TRAMPOLINE_BYTES - 8);
}
#endif

/* Read again each time, because a value that is kept takes room on the stack of BPF. */
static __always_inline bool is_on_other_stack(const struct walk *walk) {
  const __u64 fp = *(volatile const __u64 *)&walk->fp;
  return fp < walk->sp || fp + 16 > walk->stack_end;
}

__noinline int by_frame_pointer(__u32 slot) {
  struct walk *walk = walk_of(slot);
  if (!walk) return WALK_NO_CFI;
  const struct walk_mapping *mapping = &walk->mapping;
  const int without = mapping->kind == MAPPING_PENDING ? WALK_NO_TABLE_YET : WALK_NO_CFI;
  /* Both ABIs say that the outermost frame pointer is 0. But code whose table has not come, and a leaf, may keep any
   * number in that register. */
  const int root = mapping->kind == MAPPING_PENDING || walk->depth == 1 ? without : WALK_ROOT_BY_FP;
#ifndef __TARGET_ARCH_x86
  if (walk->depth == 1 && mapping->is_vdso) { /* leaves of the vDSO, which have no table rows */
    walk->was_interrupted = 0;
    return go_to(walk, walk->extra, walk->sp);
  }
#endif
  if (walk_config.mode == WALK_TABLES) return without;
  if (walk->depth == 1 && walk->caller) {
    walk->was_interrupted = 0;
    return go_to(walk, walk->caller, walk->sp + RETURN_BYTES);
  }
#ifdef __TARGET_ARCH_x86
  if (is_bare_leaf(walk)) {
    walk->was_interrupted = 0;
    return go_to(walk, walk->raw[LEAF_RETURN], walk->sp + 8);
  }
  if (is_trampoline(walk)) return go_to(walk, walk->raw[LEAF_RETURN], walk->sp + TRAMPOLINE_BYTES);
#endif
  if (need_fp(walk)) return without;
  const __u64 fp = walk->fp;
  if (fp == 0) return root;
  const int nowhere = walk->start_stack - walk->sp < NEXT_TO_START ? root : without;
  if (fp & 7) return nowhere;
  if (!walk->stack_end) find_stack_end(slot);
  if (is_on_other_stack(walk) && walk_config.mode != WALK_POINTERS) return nowhere;
  __u64 both[2];
  if (read_user(both, sizeof(both), fp)) return nowhere;
  if (both[1] < LOWEST_CODE) return root;
  if (!is_behind_call(walk, WITHOUT_AUTHENTICATION(both[1]))) {
    if (is_on_other_stack(walk)) return nowhere;
    walk->guessed = 1;
  }
  if (is_on_other_stack(walk)) walk->stack_end = 0;
  walk->left_fp = fp;
  walk->fp = both[0];
  walk->lost |= LOST_EXTRA;
  walk->was_interrupted = 0;
#ifdef __TARGET_ARCH_x86
  return go_to(walk, both[1], fp + 16);
#else
  /* The frame record lies at the low end of its frame. So the caller's stack pointer usually equals the caller's frame
   * pointer. */
  return go_to(walk, both[1], both[0] > fp ? both[0] : fp + 16);
#endif
}

#endif
