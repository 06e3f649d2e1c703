/* The frames of PHP (abi/script.h says where). One frame of the interpreter's function runs what functions of the
 * script call; a call from C enters it again, and that frame of the script has a mark. Functions that PHP itself has,
 * such as array_map(), have frames in the same chain. */
#ifndef PROFILE_PHP_BPF_H
#define PROFILE_PHP_BPF_H

#include "script_step.bpf.h"
#include "walk_host.bpf.h"

/* Zend/zend_compile.h: in struct _zend_execute_data, and in what it calls a function. */
#define PHP_FRAME_BYTES 56
#define PHP_FRAME_FUNCTION 24
#define PHP_FRAME_OBJECT 32
#define PHP_FRAME_INFO 40
#define PHP_FRAME_PREVIOUS 48
#define PHP_CALLED_FROM_C (1 << 17) /* ZEND_CALL_TOP */
#define PHP_IS_OBJECT 8             /* the low byte: what the frame belongs to is an object */
#define PHP_FUNCTION_BYTES 24       /* type, name and class */
#define PHP_OF_SCRIPT 2             /* ZEND_USER_FUNCTION */
#define PHP_OF_EVAL 4               /* ZEND_EVAL_CODE */
#define PHP_CLASS_NAME 8
/* struct _zend_string: its hash, its length, its characters. */
#define PHP_TEXT_HASH 8
#define PHP_TEXT_AT 24

/* struct _zend_op. While its function runs, this register points to it, and the frame only says the last one that could
 * have failed. */
#define PHP_INSTRUCTION_BYTES 32
#define PHP_INSTRUCTION_LINE 24
#define PHP_INSTRUCTION_REGISTER 15

/* Indexes into script_walk::own. */
enum php_own {
  PHP_OWN_IS_INNERMOST /* no frame of the script was before the one at hand */
};

static __always_inline bool is_php_pointer(__u64 address) { return address >= LOWEST_CODE && !(address & 7); }

/* Finds the function of the next frame of the script. Returns an enum script_step. */
__noinline int php_step(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return STEP_MISSING + SCRIPT_NOT_READABLE;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = script_layout_of(script->layout);
  if (!layout) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (!script->frame) {
    script->must_fit = 1;
    if (script->has_next) {
      script->frame = script->next;
    } else if (read_user(&script->frame, sizeof(script->frame), script->bias + layout->head_at)) {
      return STEP_MISSING + SCRIPT_NOT_READABLE;
    }
  }
  const __u64 frame = script->frame;
  if (!is_php_pointer(frame)) return STEP_MISSING + SCRIPT_NO_PLACE;
  if (read_user(script->words, PHP_FRAME_BYTES, frame)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const __u64 previous = script->words[PHP_FRAME_PREVIOUS / 8], object = script->words[PHP_FRAME_OBJECT / 8];
  const __u32 info = (__u32)script->words[PHP_FRAME_INFO / 8];
  const bool is_from_c = info & PHP_CALLED_FROM_C;
  __u64 function = script->words[PHP_FRAME_FUNCTION / 8], generator = 0;
  script->instruction = script->words[0];
  script->own[PHP_OWN_IS_INNERMOST] = !script->has_next;
  script->frame = script->next = previous;
  script->has_next = 1;
  /* A frame that only holds a place, for a generator that takes its values from another one. */
  if (!function && layout->at[PHP_GENERATOR_FRAME] && (__u8)info == PHP_IS_OBJECT && is_php_pointer(object) &&
      !read_user(&generator, sizeof(generator), object + layout->at[PHP_GENERATOR_FRAME]) &&
      is_php_pointer(generator)) {
    read_user(&function, sizeof(function), generator + PHP_FRAME_FUNCTION);
    if (are_lines_wanted() && read_user(&script->instruction, sizeof(__u64), generator)) script->instruction = 0;
  }
  if (!function) return previous ? STEP_NOTHING : STEP_END;
  if (!is_php_pointer(function)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (read_user(script->words, PHP_FUNCTION_BYTES, function)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const __u8 type = (__u8)script->words[0];
  const bool is_of_script = type == PHP_OF_SCRIPT || type == PHP_OF_EVAL;
  const __u64 name = script->words[1], owner = script->words[2];
  __u64 file[2] = {}; /* and, in its first half, the line where the function begins */
  if (is_of_script) {
    if (read_user(file, sizeof(file), function + layout->at[PHP_FUNCTION_FILE]) || !is_php_pointer(file[0])) {
      return STEP_MISSING + SCRIPT_NOT_READABLE;
    }
  }
  /* The code outside of functions has no name. */
  const __u64 text = name ? name : file[0];
  if (!is_php_pointer(text)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  script->function = function;
  script->line = (__u32)file[1];
  script->proof[0] = name;
  script->proof[1] = file[0] ^ (__u64)script->line << 48;
  script->proof[2] = owner;
  /* The hash that PHP keeps of a text. 0: it has not computed that yet. */
  __u64 hash = 0, file_hash = 0;
  if (read_user(&hash, sizeof(hash), text + PHP_TEXT_HASH)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (is_of_script && read_user(&file_hash, sizeof(file_hash), file[0] + PHP_TEXT_HASH)) {
    return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
  script->proof[3] = hash ^ file_hash << 1;
  script->can_be_known = hash && (file_hash || !is_of_script);
  script->file = file[0];
  return !previous || (is_of_script && is_from_c) ? STEP_LAST_FUNCTION : STEP_FUNCTION;
}

/* Whether there is another instruction of the function on the stack of C, in the frames that the interpreter has
 * called: one of them may have saved the register there. */
static __always_inline bool has_other_php_instruction(struct walk *walk, __u64 code, __u64 bytes) {
  struct script_walk *script = &walk->script;
  const __u64 end = script->sp, lowest = walk->innermost[REGISTER_SP], own = script->instruction - code;
  bool is_other = false;
  if (read_user(script->words, sizeof(script->words), end - sizeof(script->words))) return false;
  for (int i = 0; i < SCRIPT_WORDS; i++) {
    const __u64 at = script->words[i] - code;
    const bool is_there = end - 8 * (SCRIPT_WORDS - i) >= lowest;
    is_other |= is_there && at < bytes && !(at % PHP_INSTRUCTION_BYTES) && at != own;
  }
  return is_other;
}

/* As find_position(). */
static __always_inline void find_php_position(struct walk *walk, const struct script_layout *layout) {
  struct script_walk *script = &walk->script;
  __u64 code[2];
  __u32 line = 0;
  if (!script->file) return;
  if (read_user(code, sizeof(code), script->function + layout->at[PHP_FUNCTION_CODE] - sizeof(__u64))) return;
  const __u32 count = layout->at[PHP_FUNCTION_LENGTH] & 4 ? code[0] >> 32 : code[0];
  const __u64 bytes = (__u64)count * PHP_INSTRUCTION_BYTES;
  if (script->own[PHP_OWN_IS_INNERMOST]) {
    if (name_registers(walk->slot)) return;
    const __u64 live = walk->innermost[PHP_INSTRUCTION_REGISTER];
    if (live - code[1] < bytes) {
      script->instruction = live;
    } else if (has_other_php_instruction(walk, code[1], bytes)) {
      return;
    }
  }
  const __u64 at = script->instruction - code[1];
  if (at >= bytes || at % PHP_INSTRUCTION_BYTES) return;
  if (!read_user(&line, sizeof(line), script->instruction + PHP_INSTRUCTION_LINE)) script->position = line;
}

/* As read_python_text(), for a text in bytes of any kind. */
static __always_inline int read_php_text(__u64 at, struct script_text *text, char *to, const __u32 most,
                                         bool from_end) {
  __u64 bytes = 0;
  if (!is_php_pointer(at) || read_user(&bytes, sizeof(bytes), at + PHP_TEXT_HASH + 8)) return 1;
  if (bytes >> 32) return 1;
  __u64 from = at + PHP_TEXT_AT;
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
static __always_inline int read_php_names(struct script_walk *script) {
  struct ring_name *name = &script->name;
  if (script->proof[0] && read_php_text(script->proof[0], &name->name, name->name_text, SCRIPT_NAME_BYTES, false)) {
    return 1;
  }
  if (script->file && read_php_text(script->file, &name->path, name->path_text, SCRIPT_PATH_BYTES, true)) return 1;
  if (!script->proof[2]) return 0;
  __u64 owner = 0;
  return read_user(&owner, sizeof(owner), script->proof[2] + PHP_CLASS_NAME) ||
         read_php_text(owner, &name->owner, name->owner_text, SCRIPT_OWNER_BYTES, false);
}

#endif
