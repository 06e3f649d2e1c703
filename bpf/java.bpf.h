/* The frames of HotSpot, the engine of Java (abi/script.h says where). Its code lies in memory without a file, in heaps
 * that the engine's variables name, and each piece of it, a blob, begins with what is known of its frames. So these are
 * left by the engine's own description, and most name a method, or several: what the compiler has put into it. */
#ifndef PROFILE_JAVA_BPF_H
#define PROFILE_JAVA_BPF_H

#include "by_frame_pointer.bpf.h"
#include "script_step.bpf.h"

/* Results besides a walk_end. The stack of a BPF program is small, so no function here calls the next one. */
#define JAVA_NOT (-1) /* the frame is none of the engine's */
#define JAVA_IN_INTERPRETER (-2)
#define JAVA_IN_STUB (-3)

/* src/hotspot/cpu/x86/frame_x86.hpp: what the interpreter keeps around its frame pointer, of which as much is read. */
#define JAVA_FRAME_WORDS 10
#define JAVA_FRAME_BELOW 64
#define JAVA_FRAME_METHOD_AT 24 /* below the frame pointer, like the next one */
#define JAVA_FRAME_CALLED_AT 16 /* the stack pointer when it called another method; 0: it has not */
#define JAVA_FRAME_CALLER_SP_AT 8
#define JAVA_CALLER_SP_REGISTER 13 /* where a method that is called gets that */
#define JAVA_BYTECODE_REGISTER 13  /* and where the method keeps its own place when it runs */
#define JAVA_RETURN_REGISTER 0
#define JAVA_METHOD_REGISTER 3
/* heap.cpp: how far to go back in the map of segments to the first one of a blob. */
#define JAVA_MOST_HOPS 32
#define JAVA_SEGMENT_FREE 0xff
#define JAVA_MOST_FRAME (1 << 16) /* in words */
#define JAVA_MOST_STUB_FRAME 1024 /* in bytes */
#define JAVA_MOST_TEXT 4096
/* constMethodFlags.hpp: bits of the flags. */
#define JAVA_HAS_LINES 1
#define JAVA_FIRST_ANNOTATION 7 /* of the four kinds */
/* So much before a frame is complete is looked at to find the instruction that makes it. */
#define JAVA_PROLOGUE_BYTES 64
/* codeBlob.cpp: the names of blobs that are a method's code. */
#define JAVA_METHOD 0x00646f6874656d6eULL /* "nmethod" */
#define JAVA_NATIVE 0x6e2065766974616eULL /* "native n", and "method" */
#define JAVA_NATIVE_REST 0x00646f6874656dULL
/* "StubRoutines (continuation stubs)", from its ninth character on: among them is what brings frames back. */
#define JAVA_MOUNT 0x6f63282073656e69ULL
#define JAVA_MOUNT_REST 0x697461756e69746eULL

/* Indexes into script_walk::own while scopes are read, which are at its beginning. */
#define JAVA_BEHIND 2 /* offset of the place behind the current one */
/* For what is computed in steps. It is in memory, so that the verifier does not follow each of its values. */
#define JAVA_STEP 3
#define JAVA_OPERAND 4
#define JAVA_SCOPE 5
#define JAVA_COUNT 6
/* And behind what is read of code. */
#define JAVA_PLACE 8
#define JAVA_COMPLETE 9
#define JAVA_FOUND 10
#define JAVA_TABLE 11
#define JAVA_IS_NEAR 12
#define JAVA_KEY 13
#define JAVA_SCOPES_AT 14
#define JAVA_METHODS_AT 15
#define JAVA_DESC_BYTES 16
#define JAVA_SCOPE_BYTES 16 /* has three compressed numbers */
#define JAVA_MOST_STEPS 17

static __always_inline __u64 java_word(const struct script_walk *script, __u32 at) {
  return script->java_words[at / 8 & (JAVA_WORDS - 1)];
}
static __always_inline __u32 java_int(const struct script_walk *script, __u32 at) {
  return ((const __u32 *)script->java_words)[at / 4 & (2 * JAVA_WORDS - 1)];
}
static __always_inline __u16 java_short(const struct script_walk *script, __u32 at) {
  return ((const __u16 *)script->java_words)[at / 2 & (4 * JAVA_WORDS - 1)];
}

static __always_inline const struct script_layout *java_layout(const struct walk *walk) {
  const struct script_layout *layout = script_layout_of(walk->code_layout);
  return layout && layout->language == SCRIPT_JAVA ? layout : NULL;
}

/* Reads where one of the engine's heaps of code is. */
static __always_inline int read_java_heap(struct walk *walk, const struct script_layout *layout, __u64 from, int i) {
  struct java_heap *heap = &walk->java.heaps[i & (JAVA_MOST_HEAPS - 1)];
  __u64 high = 0;
  if (from < LOWEST_CODE || from & 7) return 1;
  if (read_user(&heap->start, 8, from + layout->at[JAVA_HEAP_LOW])) return 1;
  if (read_user(&high, 8, from + layout->at[JAVA_HEAP_HIGH])) return 1;
  if (read_user(&heap->segments, 8, from + layout->at[JAVA_HEAP_SEGMENTS])) return 1;
  heap->bytes = high - heap->start;
  return high < heap->start;
}

/* Reads where the engine's code is. Returns 0 when it is known. */
__noinline int read_java_heaps(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 1;
  struct java_space *java = &walk->java;
  const struct script_layout *layout = java_layout(walk);
  if (!layout) return 1;
  __u64 heaps = 0, heap = 0, queue = 0;
  __u32 count = 1, bytes = 0;
  if (read_user(&heaps, 8, java->bias + layout->at[JAVA_HEAPS]) || heaps < LOWEST_CODE) return 1;
  if (layout->at[JAVA_HEAPS_DATA]) {
    if (read_user(&count, 4, heaps)) return 1;
    if (read_user(&heaps, 8, heaps + layout->at[JAVA_HEAPS_DATA]) || heaps < LOWEST_CODE) return 1;
  }
  if (!count || count > JAVA_MOST_HEAPS) return 1;
#pragma unroll
  for (__u32 i = 0; i < JAVA_MOST_HEAPS; i++) {
    java->heaps[i].bytes = 0;
    if (i >= count) continue;
    heap = heaps;
    if (layout->at[JAVA_HEAPS_DATA] && read_user(&heap, 8, heaps + 8 * i)) return 1;
    if (read_java_heap(walk, layout, heap, i)) return 1;
  }
  /* All heaps have segments of one size. */
  if (read_user(&java->segment_shift, 4, heap + layout->at[JAVA_HEAP_SHIFT])) return 1;
  if (java->segment_shift < 3 || java->segment_shift > 12) return 1;
  if (read_user(&queue, 8, java->bias + layout->at[JAVA_INTERPRETER]) || queue < LOWEST_CODE) return 1;
  if (read_user(&java->interpreter, 8, queue + layout->at[JAVA_QUEUE_BUFFER])) return 1;
  if (read_user(&bytes, 4, queue + layout->at[JAVA_QUEUE_LIMIT])) return 1;
  java->interpreter_bytes = bytes;
  java->is_known = 1;
  remember_code_layout(walk);
  return 0;
}

/* Reads the blob script->function. False: it does not hold `place`, because it was freed. */
static __always_inline bool read_java_blob(struct script_walk *script, const struct script_layout *layout,
                                           __u64 place) {
  const __u64 blob = script->function;
  if (read_user(script->java_words, JAVA_BLOB_BYTES, blob)) return false;
  __u64 begin = layout->at[JAVA_BLOB_BEGIN], end = layout->at[JAVA_BLOB_END];
  if (layout->at[JAVA_BLOB_HAS_OFFSETS]) {
    begin = blob + java_int(script, begin);
    end = blob + java_int(script, end);
  } else {
    begin = java_word(script, begin);
    end = java_word(script, end);
  }
  script->proof[1] = begin;
  return place - begin < end - begin;
}

/* What is known of this place in the code, or of another one, of any program. */
static __always_inline struct java_known *known_java_place(struct walk *walk, __u64 place, __u64 *key) {
  *key = place + *(volatile __u64 *)&walk->mm * PLACE_FACTOR;
  return java_known_of(walk, *key * PLACE_FACTOR >> (64 - JAVA_KNOWN_BITS));
}

/* Puts the blob that holds the current frame's code into script->function, and reads it. Returns WALK_GOES_ON,
 * JAVA_NOT, or JAVA_IN_INTERPRETER. */
__noinline int find_java_blob(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return JAVA_NOT;
  const struct script_layout *layout = java_layout(walk);
  if (!layout) return JAVA_NOT;
  const struct java_space *java = &walk->java;
  const __u64 place = place_of_frame(walk);
  walk->script.met = SCRIPT_JAVA;
  if (place - java->interpreter < java->interpreter_bytes) return JAVA_IN_INTERPRETER;
  __u64 start = 0, segments = 0, key = 0;
  struct java_known *known = known_java_place(walk, place, &key);
  if (!known) return JAVA_NOT;
  if (known->key == key) {
    walk->script.function = known->blob;
    if (read_java_blob(&walk->script, layout, place)) return WALK_GOES_ON;
  }
  for (int i = 0; i < JAVA_MOST_HEAPS; i++) {
    const struct java_heap *heap = &java->heaps[i];
    if (place - heap->start >= heap->bytes) continue;
    start = heap->start;
    segments = heap->segments;
    break;
  }
  if (!start) return JAVA_NOT;
  const __u32 shift = java->segment_shift & 15;
  __u64 segment = (place - start) >> shift;
  for (int i = 0; i < JAVA_MOST_HOPS; i++) {
    __u8 back = 0;
    if (read_user(&back, 1, segments + segment) || back == JAVA_SEGMENT_FREE || back > segment) return JAVA_NOT;
    segment -= back;
    if (!back) break;
  }
  walk->script.function = start + (segment << shift) + layout->at[JAVA_BLOCK_BYTES];
  if (!read_java_blob(&walk->script, layout, place)) return WALK_NO_CFI;
  known->key = key;
  known->blob = walk->script.function;
  known->count = 0;
  return WALK_GOES_ON;
}

/* Whether a blob with that name is a method's code. The name is a constant of the engine, so it is read once. */
static __always_inline bool is_java_method(struct walk *walk, __u64 name) {
  struct java_space *java = &walk->java;
  if (name == java->method || name == java->native) return name != 0;
  if (name == java->mount) return false;
  __u64 text[3] = {};
  if (name < LOWEST_CODE || read_user(text, sizeof(text), name)) return false;
  if (text[0] == JAVA_METHOD) {
    java->method = name;
  } else if (text[0] == JAVA_NATIVE && text[1] << 8 == JAVA_NATIVE_REST << 8) {
    java->native = name;
  } else if (text[1] == JAVA_MOUNT && text[2] == JAVA_MOUNT_REST) {
    java->mount = name;
  } else {
    return false;
  }
  remember_code_layout(walk);
  return name != java->mount;
}

/* Where the frame of a method's code is. */
enum java_state {
  JAVA_WHOLE,    /* the frame has its full size, and the caller's frame pointer lies below the return address */
  JAVA_RESERVED, /* the same, but the frame pointer is not saved yet */
  JAVA_PUSHED,   /* only the frame pointer lies below the return address */
  JAVA_BARE,     /* there is none yet, or no more: the return address is next */
  JAVA_UNSURE
};

/* How far a method's code has come, in which the program was interrupted before its frame was complete. `script->own`
 * has the bytes before that place, script->own[JAVA_PLACE] the current one among them. */
static __always_inline enum java_state java_state_of_prologue(struct script_walk *script) {
  const __u8 *code = (const __u8 *)script->own;
  /* In memory, so that the verifier does not look at each of its values. */
  volatile __u64 *found = &script->own[JAVA_FOUND];
  *found = 0;
  __u32 bytes = code[1] << 8 | code[2] << 16;
  for (__u32 i = 1; i < JAVA_PROLOGUE_BYTES - 3; i++) {
    bytes = bytes >> 8 | code[i + 2] << 16;
    if ((bytes & ~0x200U) == 0xec8148) *found = i; /* sub rsp, BYTES: 48 81 ec, or 48 83 ec */
  }
  __u64 makes = *found;
  const __u64 at = script->own[JAVA_PLACE];
  if (makes < 4 || makes >= JAVA_PROLOGUE_BYTES - 1) return JAVA_UNSURE;
  KEEP_BELOW(makes, JAVA_PROLOGUE_BYTES);
  const __u8 before = code[(makes - 1) & (JAVA_PROLOGUE_BYTES - 1)];
  /* push rbp; mov rbp, rsp: the frame of a native method */
  const bool has_pointer = code[(makes - 4) & (JAVA_PROLOGUE_BYTES - 1)] == 0x55 && before == 0xec;
  if (at < makes) return has_pointer && at > makes - 4 ? JAVA_PUSHED : JAVA_BARE;
  const bool is_pushed = before == 0x55 || has_pointer;
  if (at == makes) return is_pushed ? JAVA_PUSHED : JAVA_BARE;
  const __u64 end = makes + (code[(makes + 1) & (JAVA_PROLOGUE_BYTES - 1)] == 0x83 ? 4 : 7);
  return !is_pushed && at == end ? JAVA_RESERVED : JAVA_WHOLE;
}

/* The same where the frame was complete: it may be about to go. `script->own` has the code at the current place. */
static __always_inline enum java_state java_state_of_end(const struct script_walk *script) {
  const __u8 *code = (const __u8 *)script->own;
  if (code[0] == 0xc3) return JAVA_BARE;   /* ret */
  if (code[0] == 0x5d) return JAVA_PUSHED; /* pop rbp */
  /* What stands between those two asks the thread whether it shall stop: cmp rsp, [r15 + n]; ja n; ret */
  if (code[0] == 0x49 && code[1] == 0x3b && (code[2] == 0xa7 || code[2] == 0x67)) return JAVA_BARE;
  if (code[0] == 0x0f && code[1] == 0x87 && code[6] == 0xc3) return JAVA_BARE;
  /* before JDK 16: test eax, [rip + n]; or mov r10, [r15 + n]; test eax, [r10]; ret */
  if (code[0] == 0x85 && code[1] == 0x05 && code[6] == 0xc3) return JAVA_BARE;
  if (code[0] == 0x4d && code[1] == 0x8b && code[2] == 0x97 && code[7] == 0x41 && code[10] == 0xc3) return JAVA_BARE;
  if (code[0] == 0x41 && code[1] == 0x85 && code[2] == 0x02 && code[3] == 0xc3) return JAVA_BARE;
  return JAVA_WHOLE;
}

/* The state of the frame that the program was interrupted in: its code begins at script->proof[1], and its frame is
 * complete at script->own[JAVA_COMPLETE]. */
__noinline int java_state_of(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return JAVA_UNSURE;
  struct script_walk *script = &walk->script;
  const __u64 complete = script->own[JAVA_COMPLETE];
  if (walk->pc >= complete) {
    return read_user(script->own, 16, walk->pc) ? JAVA_UNSURE : java_state_of_end(script);
  }
  /* Before the code of a blob comes at least its header. */
  const __u64 from = complete - JAVA_PROLOGUE_BYTES;
  if (walk->pc < from) return JAVA_BARE;
  script->own[JAVA_PLACE] = walk->pc - from;
  return read_user(script->own, JAVA_PROLOGUE_BYTES, from) ? JAVA_UNSURE : java_state_of_prologue(script);
}

/* Goes to the caller of a frame of `bytes`. `has_fp`: the caller's frame pointer lies below the return address; else it
 * is still in the register. */
static __always_inline int leave_java(struct walk *walk, __u64 bytes, bool has_fp) {
  const __u64 cfa = walk->sp + bytes;
  __u64 both[2] = {};
  if (bytes < (has_fp ? 16 : 8)) return WALK_NO_CFI;
  if (has_fp ? read_pair(walk, both, cfa - 16) : read_user(&both[1], 8, cfa - 8)) return WALK_NOT_READABLE;
  /* What the program was interrupted in says less than what it has called. */
  if (walk->was_interrupted && !is_behind_call(walk, both[1])) return WALK_NO_CFI;
  if (has_fp) {
    walk->fp = both[0];
    walk->fp_at = 0;
    walk->lost &= ~LOST_FP;
  }
  walk->lost |= LOST_EXTRA;
  walk->was_interrupted = 0;
  return go_to(walk, both[1], cfa);
}

/* Makes the interpreted method the function at hand, and puts what does not change of it into script->java_words. */
static __always_inline bool take_java_method(struct walk *walk, const struct script_layout *layout, __u64 method) {
  struct script_walk *script = &walk->script;
  __u64 constants = 0;
  if (method < LOWEST_CODE || method & 7) return false;
  if (read_user(&constants, 8, method + layout->at[JAVA_METHOD_CONST]) || constants < LOWEST_CODE) return false;
  if (read_user(script->java_words, JAVA_CONST_READ, constants)) return false;
  script->function = method;
  script->file = constants;
  script->java = JAVA_INTERPRETED;
  script->java_places[0] = 0;
  return true;
}

/* Leaves the method in which the program was interrupted if the interpreter has not made its frame yet. Before, a
 * register has the caller's stack pointer, which no method that runs has there, and the frame pointer is the caller's.
 * Returns JAVA_NOT if the frame is whole. */
__noinline int leave_young_frame(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return WALK_NOT_READABLE;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = java_layout(walk);
  if (!layout || walk->depth != 1 || need_fp(walk) || name_registers(slot)) return JAVA_NOT;
  const __u64 sp = walk->sp, fp = walk->fp;
  script->java_live = walk->innermost[JAVA_BYTECODE_REGISTER];
  __u64 *pair = script->words;
  pair[0] = fp;
  __u64 caller_sp = walk->innermost[JAVA_CALLER_SP_REGISTER];
  if (!(fp & 7) && fp - sp < layout->at[JAVA_FRAME_CODE]) { /* a whole frame reaches further down */
    if (read_user(pair, 16, fp) || (fp != sp && read_user(&caller_sp, 8, fp - JAVA_FRAME_CALLER_SP_AT))) {
      return WALK_NOT_READABLE;
    }
  } else {
    if (caller_sp & 7 || caller_sp - sp > 8 * JAVA_MOST_FRAME) return JAVA_NOT;
    if (read_user(&pair[1], 8, sp)) return WALK_NOT_READABLE;
    /* It is taken off the stack to make room for variables. */
    if (pair[1] < LOWEST_CODE || !is_behind_call(walk, pair[1])) pair[1] = walk->innermost[JAVA_RETURN_REGISTER];
  }
  if (caller_sp - sp > 8 * JAVA_MOST_FRAME || pair[1] < LOWEST_CODE || !is_behind_call(walk, pair[1]))
    return WALK_NO_CFI;
  take_java_method(walk, layout, walk->innermost[JAVA_METHOD_REGISTER]);
  walk->fp = pair[0];
  walk->fp_at = 0;
  walk->lost |= LOST_EXTRA;
  walk->was_interrupted = 0;
  return go_to(walk, pair[1], caller_sp);
}

/* Leaves a frame of the interpreter, and puts its method into script->function. */
__noinline int java_interpreted(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return WALK_NOT_READABLE;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = java_layout(walk);
  if (!layout || need_fp(walk)) return WALK_NO_REGISTER;
  const __u64 fp = walk->fp;
  if (fp < walk->sp || fp & 7) return WALK_NO_CFI;
  __u64 *frame = script->words;
  if (read_user(frame, JAVA_FRAME_WORDS * 8, fp - JAVA_FRAME_BELOW)) return WALK_NOT_READABLE;
  if (walk->was_interrupted) {
    /* Where this method has called another one, that may have ended, and so may what the other one has called. Only
     * where the stack is at the place of the call nothing lies between. */
    __u64 called_at = frame[(JAVA_FRAME_BELOW - JAVA_FRAME_CALLED_AT) / 8];
    if ((__s64)called_at < 0) called_at = fp + 8 * called_at; /* since JDK 22 */
    if (called_at && called_at - walk->sp > 8) return WALK_NO_CFI;
  }
  const __u64 caller_sp = frame[(JAVA_FRAME_BELOW - JAVA_FRAME_CALLER_SP_AT) / 8];
  const __u64 method = frame[(JAVA_FRAME_BELOW - JAVA_FRAME_METHOD_AT) / 8];
  const __u64 at = frame[(JAVA_FRAME_BELOW - layout->at[JAVA_FRAME_CODE]) / 8 & 7];
  const __u64 back = frame[JAVA_FRAME_BELOW / 8 + 1], caller_fp = frame[JAVA_FRAME_BELOW / 8];
  /* A method that is called by a handle has lost an argument, so its frame may begin above that place. */
  if (caller_sp <= fp || !take_java_method(walk, layout, method)) return WALK_NO_CFI;
  /* The frame says which instruction of the method runs. If that is none of the method's, this is no frame. */
  const __u64 begin = script->file + layout->at[JAVA_CONST_BYTES];
  const __u32 bytes = java_short(script, layout->at[JAVA_CONST_CODE]);
  if (bytes ? at - begin >= bytes : at != 0) {
    script->java = JAVA_NONE;
    return WALK_NO_CFI;
  }
  /* The frame's own place is that of the last call of a method or of the engine, and old in what calls neither. */
  const bool is_caller = script->java_callee == JAVA_INTERPRETED || script->java_callee == JAVA_COMPILED;
  const __u64 index = (walk->was_interrupted ? script->java_live : is_caller ? at : 0) - begin;
  if (index < bytes) script->java_places[0] = index + 1;
  walk->fp = caller_fp;
  walk->fp_at = 0;
  walk->lost &= ~LOST_FP;
  walk->lost |= LOST_EXTRA;
  walk->was_interrupted = 0;
  return go_to(walk, back, caller_sp);
}

/* Leaves a frame of the engine's other code, which is named after that. */
__noinline int leave_java_stub(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return WALK_NOT_READABLE;
  struct script_walk *script = &walk->script;
  const __u8 *code = (const __u8 *)script->own;
  const __u64 bytes = script->own[JAVA_COMPLETE];
  __u64 back = 0;
  if (!walk->was_interrupted && bytes) return leave_java(walk, bytes, true);
  if (walk->was_interrupted) {
    if (read_user(script->own, 16, walk->pc - 4) || read_user(&back, 8, walk->sp)) return WALK_NOT_READABLE;
    if (code[4] == 0x55 || code[4] == 0xc3) return leave_java(walk, 8, false); /* push rbp; ret */
    const bool has_pushed = code[3] == 0x55 && code[4] == 0x48 && code[5] == 0x8b && code[6] == 0xec;
    if (has_pushed || code[4] == 0x5d) return leave_java(walk, 16, true); /* mov rbp, rsp; pop rbp */
    /* Where there is no frame, the frame pointer is that of a caller, or any number. */
    if (back >= LOWEST_CODE && is_behind_call(walk, back)) return leave_java(walk, 8, false);
  }
  if (need_fp(walk)) return WALK_NO_REGISTER;
  const __u64 fp = walk->fp;
  if (fp < walk->sp || fp & 7 || fp - walk->sp > JAVA_MOST_STUB_FRAME) return WALK_NO_CFI;
  return leave_java(walk, fp + 16 - walk->sp, true);
}

/* Leaves the frame of the blob script->function. Returns WALK_GOES_ON, why the walk ends, or JAVA_IN_STUB. */
__noinline int java_frame(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return WALK_NOT_READABLE;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = java_layout(walk);
  if (!layout) return WALK_NOT_READABLE;
  const __u32 frame = java_int(script, layout->at[JAVA_BLOB_FRAME]), at = layout->at[JAVA_BLOB_COMPLETE];
  const __u32 complete = layout->at[JAVA_BLOB_COMPLETE_BYTES] == 2 ? java_short(script, at) : java_int(script, at);
  if (frame > JAVA_MOST_FRAME) return WALK_NO_CFI;
  const __u64 name = java_word(script, layout->at[JAVA_BLOB_NAME]);
  script->proof[0] = name;
  script->proof[2] = script->proof[3] = 0;
  if (!is_java_method(walk, name)) {
    script->java = JAVA_STUB;
    script->own[JAVA_COMPLETE] = 8 * (__u64)frame;
    if (!walk->was_interrupted && name == walk->java.mount && script->missing == SCRIPT_WHOLE) {
      script->missing = SCRIPT_IN_HEAP;
    }
    return JAVA_IN_STUB;
  }
  script->proof[2] = java_word(script, layout->at[JAVA_BLOB_METHOD]);
  /* This number is never used again. */
  script->proof[3] = java_int(script, layout->at[JAVA_BLOB_NUMBER]);
  script->java = JAVA_COMPILED;
  script->own[JAVA_COMPLETE] = script->proof[1] + complete;
  const int state = walk->was_interrupted ? java_state_of(slot) : JAVA_WHOLE;
  if (state == JAVA_UNSURE) return WALK_NO_CFI;
  script->own[JAVA_FOUND] = walk->pc - script->proof[1];
  script->own[JAVA_IS_NEAR] = walk->was_interrupted;
  script->own[JAVA_KEY] = place_of_frame(walk);
  const __u64 bytes = state == JAVA_PUSHED ? 16 : state == JAVA_BARE ? 8 : 8 * (__u64)frame;
  return leave_java(walk, bytes, state == JAVA_WHOLE || state == JAVA_PUSHED);
}

/* A number of 4 bytes of the blob at hand. */
static __always_inline __u64 java_number(const struct script_walk *script, const struct script_layout *layout,
                                         enum script_java place) {
  return java_int(script, layout->at[place]);
}

/* Takes a compressed number (UNSIGNED5 in compressedStream.hpp) from the bytes at script->own, from
 * script->own[JAVA_STEP] on. */
#define JAVA_LAST_FROM 192
static __always_inline __u32 take_java_number(struct script_walk *script, __u32 bias) {
  const __u8 *bytes = (const __u8 *)script->own;
  volatile __u64 *at = &script->own[JAVA_STEP];
  __u32 number = 0;
  for (int i = 0; i < 5; i++) {
    const __u32 byte = bytes[*at & (JAVA_SCOPE_BYTES - 1)] - bias;
    *at += 1;
    number += byte << (6 * i);
    if (byte < JAVA_LAST_FROM - bias) break;
  }
  return number;
}

/* Puts the index of the first place that is not before script->own[JAVA_FOUND] into script->own[JAVA_PLACE]. Returns 0
 * when there is one. */
__noinline int find_java_place(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 1;
  struct script_walk *script = &walk->script;
  volatile __u64 *low = &script->own[JAVA_PLACE], *high = &script->own[JAVA_STEP];
  __s32 at = 0;
  *low = 0;
  *high = script->own[JAVA_COMPLETE];
  for (int i = 0; i < JAVA_MOST_STEPS && *low < *high; i++) {
    const __u64 middle = *low + (*high - *low) / 2;
    if (read_user(&at, sizeof(at), script->own[JAVA_TABLE] + middle * JAVA_DESC_BYTES)) return 1;
    if (at < (__s32)script->own[JAVA_FOUND]) {
      *low = middle + 1;
    } else {
      *high = middle;
    }
  }
  return *low != *high || *low >= script->own[JAVA_COMPLETE];
}

/* Puts the method and the place of the scope at script->own[JAVA_SCOPE] into java_methods and java_places, behind those
 * that script->own[JAVA_COUNT] counts. Then JAVA_SCOPE is the scope that called it; 0: none did. Returns 0 when it was
 * read. */
__noinline int read_java_scope(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 1;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = java_layout(walk);
  if (!layout) return 1;
  const __u32 bias = layout->at[JAVA_SCOPES_BIAS], i = script->own[JAVA_COUNT] & (JAVA_MOST_INLINED - 1);
  __u64 method = 0;
  script->own[JAVA_STEP] = 0;
  if (read_user(script->own, JAVA_SCOPE_BYTES, script->own[JAVA_SCOPES_AT] + script->own[JAVA_SCOPE])) return 1;
  script->own[JAVA_SCOPE] = take_java_number(script, bias);
  const __u32 number = take_java_number(script, bias);
  if (!number || read_user(&method, 8, script->own[JAVA_METHODS_AT] + 8 * (__u64)(number - 1))) return 1;
  script->java_methods[i] = method;
  /* It is kept with 1 added, because the entry of a method has -1. */
  script->java_places[i] = take_java_number(script, bias);
  script->own[JAVA_COUNT] += 1;
  /* The outermost one must be the method that was compiled. Otherwise this was not read as it is meant. */
  return !script->own[JAVA_SCOPE] && method != script->proof[2];
}

/* Puts the methods at the place with the index script->own[JAVA_PLACE] into script->java_methods and java_places,
 * innermost first.
 * Returns their number; 0: they are not known. */
__noinline int read_java_scopes(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 0;
  struct script_walk *script = &walk->script;
  const __u64 index = script->own[JAVA_PLACE];
  __u32 desc[2] = {};
  if (index >= script->own[JAVA_COMPLETE]) return 0;
  if (read_user(desc, sizeof(desc), script->own[JAVA_TABLE] + index * JAVA_DESC_BYTES)) return 0;
  /* A call has a place of its own. */
  if (desc[0] != (__u32)script->own[JAVA_FOUND] && !script->own[JAVA_IS_NEAR]) return 0;
  script->own[JAVA_BEHIND] = desc[0];
  script->own[JAVA_SCOPE] = desc[1];
  script->own[JAVA_COUNT] = 0;
  if (!desc[1]) return 0; /* a mark at an end of the table */
  for (__u32 i = 0; i < JAVA_MOST_INLINED; i++) {
    if (read_java_scope(slot)) return 0;
    if (!*(volatile __u64 *)&script->own[JAVA_SCOPE]) return i + 1;
  }
  return 0;
}

/* How many bytes an instruction has behind its first one: its byte `mod`, and what that says of its operand. `next` is
 * the byte behind that. */
static __always_inline __u32 operand_bytes(__u8 mod, __u8 next) {
  const __u32 kind = mod >> 6, low = mod & 7;
  if (kind == 3) return 1;
  const __u32 sib = low == 4;
  if (kind == 1) return 2 + sib;
  if (kind == 2) return 5 + sib;
  return low == 5 || (sib && (next & 7) == 5) ? 5 + sib : 1 + sib;
}

/* Looks at one instruction on the way from the place behind the current one to the end of a loop: it is at
 * script->own[JAVA_STEP] of the code that script->java_words holds. Returns an enum java_loop. */
#define JAVA_LOOP_BYTES 64
#define JAVA_LOOP_STEPS 14
enum java_loop {
  JAVA_LOOP_GOES_ON, /* JAVA_STEP is at the next instruction */
  JAVA_LOOP_NOT,
  JAVA_LOOP_IS_HERE
};
__noinline int leave_java_loop(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return JAVA_LOOP_NOT;
  struct script_walk *script = &walk->script;
  const __u8 *code = (const __u8 *)script->java_words;
  volatile __u64 *step = &script->own[JAVA_STEP], *operand = &script->own[JAVA_OPERAND];
  if (*step >= JAVA_LOOP_BYTES - 16) return JAVA_LOOP_NOT;
  if ((code[*step & 63] & 0xf0) == 0x40) *step += 1; /* REX */
  const __u32 at = *step;
  const __u8 first = code[at & 63], second = code[(at + 1) & 63];
  const bool is_short = (first & 0xf0) == 0x70 || first == 0xeb, is_if = first == 0x0f && (second & 0xf0) == 0x80;
  if (is_short || is_if || first == 0xe9) {
    const __u32 end = at + (is_short ? 2 : is_if ? 6 : 5);
    const __s64 from = (__u32)script->own[JAVA_BEHIND], here = (__u32)script->own[JAVA_FOUND];
    __s32 to = (__s8)second;
    if (!is_short) {
      to = (__s32)(code[(end - 4) & 63] | (__u32)code[(end - 3) & 63] << 8 | (__u32)code[(end - 2) & 63] << 16 |
                   (__u32)code[(end - 1) & 63] << 24);
    }
    if (to < 0) return from + end + to <= here ? JAVA_LOOP_IS_HERE : JAVA_LOOP_NOT;
    *step = end;
    return first == 0xeb || first == 0xe9 ? JAVA_LOOP_NOT : JAVA_LOOP_GOES_ON;
  }
  if (first == 0x0f && (second & 0xf0) == 0x40) { /* cmov */
    *step += 2 + operand_bytes(code[(at + 2) & 63], code[(at + 3) & 63]);
    return JAVA_LOOP_GOES_ON;
  }
  if ((first & 0xf8) == 0xb8) { /* mov r, number */
    *step += 5;
    return JAVA_LOOP_GOES_ON;
  }
  *operand = operand_bytes(second, code[(at + 2) & 63]);
  switch (first) {
    case 0x01: /* add, sub, cmp, test, mov, lea, inc and dec */
    case 0x03:
    case 0x29:
    case 0x2b:
    case 0x39:
    case 0x3b:
    case 0x85:
    case 0x89:
    case 0x8b:
    case 0x8d:
    case 0xff:
      *step += 1 + *operand;
      return JAVA_LOOP_GOES_ON;
    case 0x83: /* with a number */
      *step += 2 + *operand;
      return JAVA_LOOP_GOES_ON;
    case 0x81:
      *step += 5 + *operand;
      return JAVA_LOOP_GOES_ON;
    case 0x90:
      *step += 1;
      return JAVA_LOOP_GOES_ON;
    default:
      return JAVA_LOOP_NOT;
  }
}

/* Whether the place behind the current one is at the end of a loop, where the engine asks whether the thread shall
 * stop, and that loop holds the current place. Then the methods there are at work here. script->own has the offsets. */
__noinline int is_in_java_loop(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 0;
  struct script_walk *script = &walk->script;
  const __u32 from = script->own[JAVA_BEHIND], here = script->own[JAVA_FOUND];
  const __u8 *code = (const __u8 *)script->java_words;
  if (from <= here || read_user(script->java_words, JAVA_LOOP_BYTES, script->proof[1] + from)) return 0;
  const __u32 rex = (code[0] & 0xf0) == 0x40;
  if (code[rex] != 0x85 || code[rex + 1] & 0xf8) return 0; /* test [r], eax */
  script->own[JAVA_STEP] = 0;
  int loop = JAVA_LOOP_GOES_ON;
  for (int i = 0; i < JAVA_LOOP_STEPS && loop == JAVA_LOOP_GOES_ON; i++) loop = leave_java_loop(slot);
  return loop == JAVA_LOOP_IS_HERE;
}

/* Leaves of script->java_methods what the places before and behind the current one have in common: what runs on from
 * the one to the other, called from the same places; or all of the place behind, at the end of the loop that runs.
 * Where the innermost one is in between is not known. */
__noinline int join_java_scopes(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 0;
  struct script_walk *script = &walk->script;
  const __u32 count = read_java_scopes(slot);
  if (count > 1 && is_in_java_loop(slot)) {
    script->java_places[0] = 0;
    return count;
  }
  script->own[JAVA_PLACE] -= 1;
  __builtin_memcpy(script->java_others, script->java_methods, sizeof(script->java_others));
  __builtin_memcpy(script->java_other_places, script->java_places, sizeof(script->java_other_places));
  const __u32 before = read_java_scopes(slot);
  volatile __u64 *same = &script->own[JAVA_STEP];
  *same = 0;
  for (__u32 i = 1; i <= JAVA_MOST_INLINED; i++) {
    const __u32 behind_at = (count - i) & (JAVA_MOST_INLINED - 1), before_at = (before - i) & (JAVA_MOST_INLINED - 1);
    if (i > count || i > before || script->java_others[behind_at] != script->java_methods[before_at]) break;
    const __u16 to = script->java_other_places[behind_at], from = script->java_places[before_at];
    /* Code that goes back may be of two calls. The outermost method is the one that was compiled. */
    if (i == 1 || from <= to) *same = i;
    if (from != to) break;
  }
  const __u32 first = count - *same;
  for (__u32 i = 0; i < JAVA_MOST_INLINED; i++) {
    script->java_methods[i] = script->java_others[(first + i) & (JAVA_MOST_INLINED - 1)];
    script->java_places[i] = script->java_other_places[(first + i) & (JAVA_MOST_INLINED - 1)];
  }
  script->java_places[0] = 0;
  return *same;
}

/* Puts the methods of the frame that was left into script->java_methods: what the compiler has put into its method
 * comes first. Without that, it is the method alone. */
static __always_inline int find_java_methods(struct walk *walk) {
  struct script_walk *script = &walk->script;
  const __u32 slot = walk->slot;
  const struct script_layout *layout = java_layout(walk);
  const __u64 outer = script->proof[2];
  script->java_methods[0] = outer;
  script->java_places[0] = 0;
  script->java_count = 1;
  script->java_next = 0;
  if (!layout) return 0;
  __u64 tables = script->function, others = tables;
  if (layout->at[JAVA_TABLES]) tables = java_word(script, layout->at[JAVA_TABLES]);
  if (layout->at[JAVA_OTHER_TABLES]) others = java_word(script, layout->at[JAVA_OTHER_TABLES]);
  script->own[JAVA_SCOPES_AT] = layout->at[JAVA_SCOPES_IS_ADDRESS] ? java_word(script, layout->at[JAVA_SCOPES])
                                                                   : tables + java_number(script, layout, JAVA_SCOPES);
  script->own[JAVA_METHODS_AT] = others + java_number(script, layout, JAVA_METHODS);
  const __u64 begin = java_number(script, layout, JAVA_PLACES_BEGIN),
              end = java_number(script, layout, JAVA_PLACES_END);
  script->own[JAVA_TABLE] = tables + begin;
  script->own[JAVA_COMPLETE] = end < begin ? 0 : (end - begin) / JAVA_DESC_BYTES;
  if (find_java_place(slot)) return 0;
  __u32 count = script->own[JAVA_IS_NEAR] ? 0 : read_java_scopes(slot);
  if (!count) {
    /* Also a call that cannot be stopped at has no place. */
    script->own[JAVA_IS_NEAR] = 1;
    count = join_java_scopes(slot);
  }
  if (count) {
    script->java_count = count;
  } else {
    script->java_methods[0] = outer;
    script->java_places[0] = 0;
  }
  return 0;
}

/* The same, from what is known of the place. */
__noinline int recall_java_methods(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 0;
  struct script_walk *script = &walk->script;
  __u64 key = 0;
  struct java_known *known = known_java_place(walk, script->own[JAVA_KEY], &key);
  const __u32 number = script->proof[3];
  if (known && known->key == key && known->number == number && known->count) {
    __builtin_memcpy(script->java_methods, known->methods, sizeof(known->methods));
    __builtin_memcpy(script->java_places, known->places, sizeof(known->places));
    script->java_count = known->count;
    script->java_next = 0;
    return 0;
  }
  find_java_methods(walk);
  if (!known || known->key != key || script->java_count > JAVA_KNOWN_INLINED) return 0;
  __builtin_memcpy(known->methods, script->java_methods, sizeof(known->methods));
  __builtin_memcpy(known->places, script->java_places, sizeof(known->places));
  known->number = number;
  known->count = script->java_count;
  return 0;
}

/* Puts what shows that the interpreted method at hand is still the same into script->proof. Returns 0 when it is known.
 */
__noinline int prove_java_method(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 1;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = java_layout(walk);
  if (!layout) return 1;
  const __u64 pool = java_word(script, layout->at[JAVA_CONST_POOL]);
  const __u32 index = java_short(script, layout->at[JAVA_CONST_NAME]);
  __u64 holder = 0, symbol = 0, text = 0, name = 0;
  if (pool < LOWEST_CODE || read_user(&holder, 8, pool + layout->at[JAVA_POOL_HOLDER]) || holder < LOWEST_CODE)
    return 1;
  if (read_user(&symbol, 8, holder + layout->at[JAVA_CLASS_NAME]) || symbol < LOWEST_CODE) return 1;
  if (read_user(&text, 8, symbol) || read_user(&name, 8, pool + layout->at[JAVA_POOL_BYTES] + 8 * index)) return 1;
  /* Two bytes count those who use the text. */
  text &= ~(0xffffULL << (8 * layout->at[JAVA_SYMBOL_COUNT] & 63));
  script->proof[0] = script->file;
  script->proof[1] = symbol ^ name << 1;
  script->proof[2] = text;
  script->proof[3] = pool ^ (__u64)index << 48;
  return 0;
}

/* Finds the function of the frame that was left. Returns an enum script_step: STEP_END if it is none of Java's. */
static __always_inline int java_function(struct walk *walk) {
  struct script_walk *script = &walk->script;
  if (!script->java) return STEP_END;
  script->line = 0;
  script->can_be_known = 1;
  if (script->java == JAVA_COMPILED) {
    if (!script->java_count) recall_java_methods(walk->slot);
    const __u32 at = script->java_next++ & (JAVA_MOST_INLINED - 1);
    script->proof[2] = script->java_methods[at];
    script->function = script->proof[2] ^ script->proof[1];
    if (are_lines_wanted()) script->position = script->java_places[at];
    return STEP_FUNCTION;
  }
  if (are_lines_wanted() && script->java == JAVA_INTERPRETED) script->position = script->java_places[0];
  const bool has_proof = script->java != JAVA_INTERPRETED || !prove_java_method(walk->slot);
  return has_proof ? STEP_FUNCTION : STEP_MISSING + SCRIPT_NOT_READABLE;
}

/* Reads a text that many share: Symbol. The beginning of a long one is cut if `from_end` is set. */
static __always_inline int read_java_text(const struct script_layout *layout, __u64 symbol, struct script_text *text,
                                          char *to, const __u32 most, bool from_end) {
  __u16 length = 0;
  if (symbol < LOWEST_CODE || read_user(&length, sizeof(length), symbol + layout->at[JAVA_SYMBOL_LENGTH])) return 1;
  __u64 bytes = length, from = symbol + layout->at[JAVA_SYMBOL_TEXT];
  if (!bytes || bytes > JAVA_MOST_TEXT) return 1;
  if (bytes > most) {
    text->is_cut = 1;
    if (from_end) from += bytes - most;
    bytes = most;
  }
  text->bytes = bytes;
  KEEP_BELOW(bytes, 2 * most);
  return read_user(to, bytes, from) ? 1 : 0;
}

/* The table of lines lies behind the bytecode, and is read with what follows it up to the annotations, which are
 * addresses: it has a mark at its end. */
static __always_inline void find_java_table(struct script_walk *script, const struct script_layout *layout,
                                            __u64 constants) {
  const __u64 words = java_int(script, layout->at[JAVA_CONST_SIZE]);
  const __u32 flags = java_short(script, layout->at[JAVA_CONST_FLAGS]);
  const __u64 before = layout->at[JAVA_CONST_BYTES] + (__u64)java_short(script, layout->at[JAVA_CONST_CODE]);
  __u64 annotations = 0;
  for (int i = 0; i < 4; i++) annotations += flags >> (JAVA_FIRST_ANNOTATION + i) & 1;
  const __u64 behind = 8 * (words - annotations);
  if (!(flags & JAVA_HAS_LINES)) {
    script->name.lines = SCRIPT_LINES_NONE;
    return;
  }
  if (words >> 20 || behind <= before) return;
  script->table = constants + before;
  script->table_bytes = behind - before;
}

/* Puts the names of the function at hand into script->name. Returns 0 when they were read. */
__noinline int read_java_names(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 1;
  struct script_walk *script = &walk->script;
  struct ring_name *name = &script->name;
  const struct script_layout *layout = java_layout(walk);
  if (!layout) return 1;
  script->table = 0;
  if (script->java == JAVA_STUB) {
    script->name.lines = SCRIPT_LINES_NONE;
    const long bytes = read_user_text(name->name_text, SCRIPT_NAME_BYTES, script->proof[0]);
    if (bytes <= 1) return 1;
    name->name.bytes = bytes - 1;
    return 0;
  }
  __u64 constants = script->file, pool = 0, holder = 0, symbol = 0;
  if (script->java == JAVA_COMPILED) {
    const __u64 method = script->proof[2];
    if (method < LOWEST_CODE || read_user(&constants, 8, method + layout->at[JAVA_METHOD_CONST])) return 1;
  }
  if (constants < LOWEST_CODE || read_user(script->java_words, JAVA_CONST_READ, constants)) return 1;
  pool = java_word(script, layout->at[JAVA_CONST_POOL]);
  if (pool < LOWEST_CODE || pool & 7) return 1;
  const __u32 index = java_short(script, layout->at[JAVA_CONST_NAME]);
  if (read_user(&symbol, 8, pool + layout->at[JAVA_POOL_BYTES] + 8 * index)) return 1;
  if (read_java_text(layout, symbol, &name->name, name->name_text, SCRIPT_NAME_BYTES, false)) return 1;
  if (read_user(&holder, 8, pool + layout->at[JAVA_POOL_HOLDER]) || holder < LOWEST_CODE) return 1;
  if (read_user(&symbol, 8, holder + layout->at[JAVA_CLASS_NAME])) return 1;
  if (read_java_text(layout, symbol, &name->path, name->path_text, SCRIPT_PATH_BYTES, true)) return 1;
  /* The name of the source file is not always there. */
  const __u64 source = (layout->at[JAVA_SOURCE_OF_CLASS] ? holder : pool) + layout->at[JAVA_SOURCE];
  __u16 source_index = 0;
  if (!read_user(&source_index, sizeof(source_index), source) && source_index &&
      !read_user(&symbol, 8, pool + layout->at[JAVA_POOL_BYTES] + 8 * source_index) &&
      read_java_text(layout, symbol, &name->owner, name->owner_text, SCRIPT_OWNER_BYTES, false)) {
    name->owner.bytes = 0;
  }
  if (are_lines_wanted()) find_java_table(script, layout, constants);
  return 0;
}

#endif
