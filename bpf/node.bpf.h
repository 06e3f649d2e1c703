/* The frames of V8, the engine of Node.js (abi/script.h says where). Its code lies in memory without a file, and each
 * of its frames has the function beside the frame pointer. So the walk by frame pointers finds the frames, and only
 * their names are read here. What the compiler has put into another function has no frame. */
#ifndef PROFILE_NODE_BPF_H
#define PROFILE_NODE_BPF_H

#include "script_step.bpf.h"

/* A pointer to an object has the lowest two bits 01, a number the lowest bit 0. */
#define V8_TAG 1
#define V8_TAG_MASK 3
/* src/execution/frame-constants.h: below the frame pointer, the context, or what kind of the engine's own frames it is,
 * and the function. */
#define NODE_FRAME_BYTES 16
/* What is read of a function (src/objects/js-function.h), and of what all functions made from the same code share
 * (shared-function-info.h). Each object begins with its map, which has its type at 12. */
#define NODE_FUNCTION_BYTES 40
#define NODE_SHARED_BYTES 72
#define NODE_SHARED_AT 8 /* in script_walk::words */
#define V8_MAP_TYPE 12
#define V8_STRING_LENGTH 12
#define V8_STRING_TEXT 16
/* instance-type.h: the types of strings, which say how one has its characters. */
#define V8_STRING_TYPES 128
#define V8_STRING_KIND 7
#define V8_STRING_WHOLE 0
#define V8_STRING_JOINED 1
#define V8_STRING_MOVED 5
#define V8_STRING_LATIN_1 8
/* scope-info.h: an object of words, which are flags, two counts, the variables, and then names among others. */
#define V8_SCOPE_VARIABLES 24
#define V8_SCOPE_NAMES 32
#define V8_SCOPE_NAMES_INSIDE 75 /* fewer variables than that have their names there, too */
#define V8_SCOPE_PLACES 5
#define V8_SCRIPT_NAME 16
#define V8_MOST_VARIABLES 4096

#define NODE_PATTERN_NAME "<regular expression>"

static __always_inline bool is_v8_object(__u64 word) { return (word & V8_TAG_MASK) == V8_TAG && word >= LOWEST_CODE; }

/* The type of an object by its map. ~0: it cannot be read. */
static __always_inline __u32 type_of_map(__u64 map) {
  __u16 type = 0;
  if (!is_v8_object(map) || read_user(&type, sizeof(type), map - V8_TAG + V8_MAP_TYPE)) return ~0U;
  return type;
}
static __always_inline __u32 type_of_v8_object(__u64 object) {
  __u64 map = 0;
  if (!is_v8_object(object) || read_user(&map, sizeof(map), object - V8_TAG)) return ~0U;
  return type_of_map(map);
}

/* Reads a string. As read_python_text(). */
static __always_inline int read_v8_text(__u64 object, struct script_text *text, char *to, const __u32 most,
                                        bool from_end) {
  __u32 length = 0, type = type_of_v8_object(object);
  /* A string that was replaced by another one, or is the sum of two, of which the beginning is enough. */
  if (type < V8_STRING_TYPES &&
      ((type & V8_STRING_KIND) == V8_STRING_MOVED || (type & V8_STRING_KIND) == V8_STRING_JOINED)) {
    text->is_cut = (type & V8_STRING_KIND) == V8_STRING_JOINED;
    if (read_user(&object, sizeof(object), object - V8_TAG + V8_STRING_TEXT)) return 1;
    type = type_of_v8_object(object);
  }
  if (type >= V8_STRING_TYPES || (type & V8_STRING_KIND) != V8_STRING_WHOLE) return 1;
  if (read_user(&length, sizeof(length), object - V8_TAG + V8_STRING_LENGTH)) return 1;
  text->width = type & V8_STRING_LATIN_1 ? 1 : 2;
  __u64 bytes = (__u64)length * text->width, from = object - V8_TAG + V8_STRING_TEXT;
  if (bytes > most) {
    text->is_cut = 1;
    if (from_end) from += bytes - most;
    bytes = most;
  }
  text->bytes = bytes;
  KEEP_BELOW(bytes, 2 * most);
  return bytes && read_user(to, bytes, from);
}

/* Reads the name that the scope of a function has. Most functions have theirs there, those without one an empty one. */
static __always_inline int read_v8_scope_name(struct script_walk *script, __u64 scope) {
  struct ring_name *name = &script->name;
  __u64 count = 0;
  if (read_user(&count, sizeof(count), scope - V8_TAG + V8_SCOPE_VARIABLES)) return 1;
  count >>= 32;
  if (count > V8_MOST_VARIABLES) return 1;
  const __u64 variables = count < V8_SCOPE_NAMES_INSIDE ? 2 * count : count + 1;
  const __u64 at = scope - V8_TAG + V8_SCOPE_NAMES + 8 * variables;
  for (int i = 0; i < V8_SCOPE_PLACES; i++) {
    __u64 object = 0;
    if (read_user(&object, sizeof(object), at + 8 * i)) return 1;
    if (type_of_v8_object(object) < V8_STRING_TYPES) {
      return read_v8_text(object, &name->name, name->name_text, SCRIPT_NAME_BYTES, false);
    }
  }
  return 0;
}

/* Puts the names of the function at hand into script->name. Returns 0 when they were read. */
__noinline int read_node_names(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 1;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = script_layout_of(script->layout);
  if (!layout) return 1;
  struct ring_name *name = &script->name;
  const __u32 number = script->line;
  const __u64 *shared = &script->words[NODE_SHARED_AT];
  __u64 path = 0;
  const __u64 named = shared[layout->at[NODE_SHARED_NAME] / 8 & 7], from = script->file;
  name->line = 0;
  if (script->function == layout->at[NODE_PATTERN_MARK]) {
    name->name.bytes = sizeof(NODE_PATTERN_NAME) - 1;
    __builtin_memcpy(name->name_text, NODE_PATTERN_NAME, sizeof(NODE_PATTERN_NAME) - 1);
    return 0;
  }
  const __u32 function_type = type_of_map(script->words[2]);
  if (function_type - layout->at[NODE_FUNCTION_TYPE] >= layout->at[NODE_FUNCTION_TYPES]) return 1;
  if (type_of_map(shared[0]) != layout->at[NODE_SHARED_TYPE]) return 1;
  if (is_v8_object(named)) {
    const __u32 type = type_of_v8_object(named);
    if (type == layout->at[NODE_SCOPE_TYPE]) {
      if (read_v8_scope_name(script, named)) return 1;
    } else if (type < V8_STRING_TYPES) {
      if (read_v8_text(named, &name->name, name->name_text, SCRIPT_NAME_BYTES, false)) return 1;
    }
  }
  /* The functions of the language itself belong to no script. */
  if (type_of_v8_object(from) != layout->at[NODE_SCRIPT_TYPE]) return !name->name.bytes;
  name->number = number;
  if (read_user(&path, sizeof(path), from - V8_TAG + V8_SCRIPT_NAME)) return 1;
  if (read_v8_text(path, &name->path, name->path_text, SCRIPT_PATH_BYTES, true)) name->path.bytes = 0;
  return name->path.bytes == 0 && name->name.bytes == 0;
}

/* Finds the function of the frame with that frame pointer. Returns an enum script_step: STEP_END if it is one of the
 * engine's own frames. */
static __always_inline int node_function(struct walk *walk, const struct script_layout *layout) {
  struct script_walk *script = &walk->script;
  __u64 *words = script->words, *shared = &script->words[NODE_SHARED_AT];
  if (read_user(words, NODE_FRAME_BYTES, walk->left_fp - NODE_FRAME_BYTES)) return STEP_END;
  const __u64 function = words[0];
  if (words[1] && words[1] == layout->at[NODE_PATTERN_MARK]) {
    script->function = words[1];
    script->line = 0;
    script->can_be_known = 1;
    __builtin_memset(script->proof, 0, sizeof(script->proof));
    return STEP_FUNCTION;
  }
  if (!is_v8_object(words[1]) || !is_v8_object(function)) return STEP_END;
  if (read_user(&words[2], NODE_FUNCTION_BYTES, function - V8_TAG)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const __u64 common = words[2 + (layout->at[NODE_FUNCTION_SHARED] / 8 & 7)];
  if (!is_v8_object(common) || read_user(shared, NODE_SHARED_BYTES, common - V8_TAG)) {
    return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
  const __u64 from = shared[layout->at[NODE_SHARED_SCRIPT] / 8 & 7];
  const __u32 at = layout->at[NODE_SHARED_NUMBER];
  __u64 script_number = 0;
  if (!is_v8_object(from)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (read_user(&script_number, sizeof(script_number), from - V8_TAG + layout->at[NODE_SCRIPT_NUMBER])) {
    script_number = 0;
  }
  script->function = common;
  script->file = from;
  script->line = ((const __u32 *)shared)[at / 4 & 15];
  /* A script's number is never used again. The map says that the memory still is what it was. */
  script->proof[0] = shared[layout->at[NODE_SHARED_NAME] / 8 & 7];
  script->proof[1] = shared[0] ^ words[2] << 1;
  script->proof[2] = script_number;
  script->proof[3] = from ^ (__u64)script->line << 32;
  script->can_be_known = 1;
  return STEP_FUNCTION;
}

#endif
