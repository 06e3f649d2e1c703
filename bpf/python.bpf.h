/* The frames of CPython (abi/script.h says where). One frame of the interpreter's function runs many frames of the
 * script: it does not call itself when a function of the script calls another. The frame that C code has called has a
 * mark, or a frame behind it, on the C stack, is the mark. */
#ifndef PROFILE_PYTHON_BPF_H
#define PROFILE_PYTHON_BPF_H

#include "script_step.bpf.h"
#include "stack_hash.bpf.h"
#include "walk_host.bpf.h"

/* An instruction, or one of the places behind it that are its cache. */
#define PYTHON_UNIT_BYTES 2
/* An object of bytes: its length, and where they begin. */
#define PYTHON_BYTES_LENGTH 16
#define PYTHON_BYTES_AT 32

static __always_inline __u32 python_at(const struct script_layout *layout, enum script_python place) {
  return layout->at[place];
}

/* The innermost frame of the script that the interpreter's frame runs. 0: it cannot be read. */
static __always_inline __u64 python_head(struct walk *walk, const struct script_layout *layout) {
  struct script_walk *script = &walk->script;
  __u64 word = 0, frame = 0;
  if (layout->head == SCRIPT_HEAD_BY_KEY) {
    __u64 thread = 0, id = 0;
    word = value_of_key(script, layout, &thread);
    if (!word || read_user(&id, sizeof(id), word + python_at(layout, PYTHON_THREAD_ID)) || id != thread) return 0;
  } else if (layout->head == SCRIPT_HEAD_OF_FIXED) {
    __u64 thread = 0;
    if (read_thread_base(&thread) || !thread || read_user(&word, sizeof(word), thread + layout->head_at)) return 0;
    if (word < LOWEST_CODE || (word & 7)) return 0;
  } else {
    if (read_user(&word, sizeof(word), script->cfa + layout->head_at)) return 0;
    if (layout->head == SCRIPT_HEAD_IN_FRAME) return word;
    if (word < LOWEST_CODE || (word & 7)) return 0;
  }
  return read_user(&frame, sizeof(frame), word + python_at(layout, PYTHON_THREAD_FRAME)) ? 0 : frame;
}

/* Finds the function of the next frame of the script. Returns an enum script_step. */
__noinline int python_step(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return STEP_MISSING + SCRIPT_NOT_READABLE;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = script_layout_of(script->layout);
  if (!layout) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const bool is_shared = layout->head != SCRIPT_HEAD_IN_FRAME;
  if (!script->frame) {
    script->frame = is_shared && script->has_next ? script->next : python_head(walk, layout);
    if (layout->head == SCRIPT_HEAD_BY_KEY) script->must_fit = 1;
  }
  const __u64 frame = script->frame;
  if (frame < LOWEST_CODE || (frame & 7)) {
    return STEP_MISSING + (is_shared && script->has_next ? SCRIPT_NO_PLACE : SCRIPT_NOT_READABLE);
  }
  if (read_user(script->words, PYTHON_FRAME_BYTES, frame)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const __u32 entry_at = python_at(layout, PYTHON_FRAME_ENTRY);
  const __u64 code = script->words[python_at(layout, PYTHON_FRAME_CODE) / 8 & (SCRIPT_WORDS - 1)];
  const __u64 previous = script->words[python_at(layout, PYTHON_FRAME_PREVIOUS) / 8 & (SCRIPT_WORDS - 1)];
  const __u8 entry = ((__u8 *)script->words)[entry_at & (8 * SCRIPT_WORDS - 1)];
  if (are_lines_wanted()) {
    const __u64 in_frame = script->words[python_at(layout, PYTHON_FRAME_AT) / 8 & (SCRIPT_WORDS - 1)];
    script->instruction = python_at(layout, PYTHON_CODE_START) ? in_frame : frame;
  }
  const bool is_entry = !entry_at || entry >= python_at(layout, PYTHON_ENTRY_LEAST);
  script->frame = previous;
  if (is_entry) {
    script->next = previous;
    script->has_next = 1;
    if (!python_at(layout, PYTHON_ENTRY_IS_SHOWN)) {
      /* The mark belongs to this frame of the interpreter. */
      return frame >= script->sp && frame < script->cfa ? STEP_END : STEP_MISSING + SCRIPT_NO_PLACE;
    }
  }
  if (code < LOWEST_CODE || (code & 7)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (read_user(script->words, PYTHON_CODE_BYTES, code)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  /* Every object says its type behind the count of its references. */
  if (layout->type_at && script->words[1] != script->bias + layout->type_at) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const __u64 name = script->words[python_at(layout, PYTHON_CODE_NAME) / 8 & (SCRIPT_WORDS - 1)];
  const __u64 path = script->words[python_at(layout, PYTHON_CODE_FILE) / 8 & (SCRIPT_WORDS - 1)];
  const __u32 line = ((__u32 *)script->words)[python_at(layout, PYTHON_CODE_LINE) / 4 & (2 * SCRIPT_WORDS - 1)];
  if (name < LOWEST_CODE || (name & 7) || path < LOWEST_CODE || (path & 7)) {
    return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
  /* Python's own code that calls __init__() has one text as its name and its file, and no line. */
  if (name == path && !line && !is_entry) return STEP_NOTHING;
  /* The name's length, and the hash that Python keeps of it. -1: it has not computed that yet. */
  if (read_user(&script->proof[2], 2 * sizeof(__u64), name + 16)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (are_lines_wanted()) {
    script->file = script->words[python_at(layout, PYTHON_CODE_TABLE) / 8 & (SCRIPT_WORDS - 1)];
  }
  script->function = code;
  script->proof[0] = name;
  script->proof[1] = path;
  script->can_be_known = script->proof[3] != ~0ULL;
  script->proof[2] ^= (__u64)line << 32;
  script->line = line;
  return is_entry ? STEP_LAST_FUNCTION : STEP_FUNCTION;
}

/* As find_position(). Each function has its table of lines in an object of bytes. */
static __always_inline void find_python_position(struct script_walk *script, const struct script_layout *layout) {
  const __u64 start = python_at(layout, PYTHON_CODE_START), table = script->file;
  __u64 bytes = 0, hash = table;
  if (start) {
    /* The frame of a function that has not begun is before its first instruction. */
    script->position = (script->instruction - script->function - start) / PYTHON_UNIT_BYTES + 2;
    if (script->instruction == script->function + start - PYTHON_UNIT_BYTES) script->position = 1;
  } else {
    __s32 at = 0;
    if (read_user(&at, sizeof(at), script->instruction + python_at(layout, PYTHON_FRAME_AT))) return;
    script->position = at < 0 ? 1 : (__u64)at * python_at(layout, PYTHON_FRAME_UNIT) / PYTHON_UNIT_BYTES + 2;
  }
  if (table < LOWEST_CODE || (table & 7) || read_user(&bytes, sizeof(bytes), table + PYTHON_BYTES_LENGTH)) return;
  script->table = table + PYTHON_BYTES_AT;
  script->table_bytes = bytes;
  /* The beginning stands for all of it: what comes later changes only with a function that has the same name, begins
   * in the same line and has come to lie in the same places. */
  __builtin_memset(script->words, 0, sizeof(script->words));
  if (bytes > sizeof(script->words)) bytes = sizeof(script->words);
  KEEP_BELOW(bytes, 2 * sizeof(script->words));
  if (bytes > sizeof(script->words) || (bytes && read_user(script->words, bytes, script->table))) return;
  for (int i = 0; i < SCRIPT_WORDS; i++) hash = mixed_with(hash, script->words[i]);
  script->proof[2] ^= hash ^ script->table_bytes;
}

/* Reads a str into `to`, which has room for `most` bytes, a power of two, and for as many behind it. `from_end`: its
 * end counts if it is longer. Returns 0 when it was read. */
static __always_inline int read_python_text(struct script_walk *script, const struct script_layout *layout, __u64 at,
                                            struct script_text *text, char *to, const __u32 most, bool from_end) {
  if (read_user(script->words, 40, at)) return 1;
  const __u64 length = script->words[2];
  const __u32 state = (__u32)script->words[4]; /* of a struct of bits: interned, kind, compact, ascii */
  const __u32 width = state >> 2 & 7;
  const bool is_compact = state & 1 << 5, is_ascii = state & 1 << 6;
  if (!is_compact || (width != 1 && width != 2 && width != 4) || length >> 32) return 1;
  __u64 bytes = length * width;
  __u64 from = at + python_at(layout, is_ascii ? PYTHON_TEXT_ASCII : PYTHON_TEXT_OTHER);
  text->width = width;
  if (bytes > most) {
    text->is_cut = 1;
    if (from_end) from += bytes - most;
    bytes = most;
  }
  text->bytes = bytes;
  KEEP_BELOW(bytes, 2 * most);
  return bytes && read_user(to, bytes, from);
}

/* Puts the names of the function at hand into script->name. Returns 0 when they were read. */
static __always_inline int read_python_names(struct script_walk *script, const struct script_layout *layout) {
  struct ring_name *name = &script->name;
  return read_python_text(script, layout, script->proof[0], &name->name, name->name_text, SCRIPT_NAME_BYTES, false) ||
         read_python_text(script, layout, script->proof[1], &name->path, name->path_text, SCRIPT_PATH_BYTES, true);
}

#endif
