/* The frames of Ruby (abi/script.h says where): an array of control frames that grows downwards. One frame of the
 * interpreter's function runs many of them; the one that C code has called is marked. Methods that are written in C
 * have control frames, too, but stand in the stack already. */
#ifndef PROFILE_RUBY_BPF_H
#define PROFILE_RUBY_BPF_H

#include "script_step.bpf.h"
#include "walk_host.bpf.h"

/* vm_core.h: struct rb_execution_context_struct begins with the stack, its size in words, and the innermost frame. */
#define RUBY_CONTEXT_BYTES 24
#define RUBY_MOST_WORDS (1ULL << 24)
#define RUBY_MOST_MODULES 4096
/* struct rb_control_frame_struct: pc, sp, iseq, self, and ep, which points to the frame's flags. */
#define RUBY_FRAME_WORDS 5
#define RUBY_FLAG_FINISH 0x20
#define RUBY_MAGIC_MASK 0x7fff0001
#define RUBY_MAGIC_C 0x55550001
#define RUBY_ISEQ_BODY 16
#define RUBY_BODY_LOCATION 64 /* of struct rb_iseq_location_struct: path, base label, label, first line */
/* Objects: flags, class, and what the kind has. */
#define RUBY_TYPE_MASK 0x1f
#define RUBY_STRING 5
#define RUBY_ARRAY 7
#define RUBY_IS_ELSEWHERE (1 << 13) /* of a String; an Array has its elements in itself then */
#define RUBY_OBJECT_BYTES 32

/* Indexes into script_walk::own. */
enum ruby_own {
  RUBY_OWN_LIMIT /* behind the outermost frame */
};

static __always_inline bool is_ruby_pointer(__u64 address) { return address >= LOWEST_CODE && !(address & 7); }

/* The execution context of the thread, or of the fiber that it runs. 0: it cannot be read. */
static __always_inline __u64 ruby_context(const struct script_walk *script, const struct script_layout *layout) {
  __u64 thread = 0, module = 0, blocks = 0, block = 0, context = 0;
  if (read_thread_base(&thread) || !is_ruby_pointer(thread)) return 0;
  if (read_user(&module, sizeof(module), script->bias + layout->head_at)) return 0;
  if (!module || module >= RUBY_MOST_MODULES) return 0;
  /* The thread's own variables: a vector with two words a module. */
  if (read_user(&blocks, sizeof(blocks), thread + 8) || !is_ruby_pointer(blocks)) return 0;
  if (read_user(&block, sizeof(block), blocks + 16 * module) || !is_ruby_pointer(block)) return 0;
  if (read_user(&context, sizeof(context), block + layout->at[RUBY_THREAD_OFFSET])) return 0;
  return is_ruby_pointer(context) ? context : 0;
}

/* Finds the function of the next frame of the script. Returns an enum script_step. */
__noinline int ruby_step(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return STEP_MISSING + SCRIPT_NOT_READABLE;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = script_layout_of(script->layout);
  if (!layout) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const __u64 frame_bytes = layout->at[RUBY_FRAME_BYTES];
  if (!script->frame && script->has_next) script->frame = script->next;
  if (!script->frame) {
    script->must_fit = 1;
    if (script->has_next) return STEP_MISSING + SCRIPT_NO_PLACE;
    const __u64 context = ruby_context(script, layout);
    if (!context || read_user(script->words, RUBY_CONTEXT_BYTES, context)) return STEP_MISSING + SCRIPT_NOT_READABLE;
    if (script->words[1] > RUBY_MOST_WORDS) return STEP_MISSING + SCRIPT_NOT_READABLE;
    /* The outermost frame belongs to no code. */
    script->own[RUBY_OWN_LIMIT] = script->words[0] + 8 * script->words[1] - frame_bytes;
    script->frame = script->words[2];
  }
  const __u64 frame = script->frame;
  if (!is_ruby_pointer(frame) || frame >= script->own[RUBY_OWN_LIMIT]) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (read_user(script->words, RUBY_FRAME_WORDS * sizeof(__u64), frame)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const __u64 pc = script->words[0], iseq = script->words[2], flags_at = script->words[4];
  const __u64 previous = frame + frame_bytes < script->own[RUBY_OWN_LIMIT] ? frame + frame_bytes : 0;
  __u64 flags = 0, body = 0;
  if (!is_ruby_pointer(flags_at) || read_user(&flags, sizeof(flags), flags_at)) {
    return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
  script->frame = script->next = previous;
  script->has_next = 1;
  if (!pc || !iseq || (flags & RUBY_MAGIC_MASK) == RUBY_MAGIC_C) return previous ? STEP_NOTHING : STEP_END;
  if (!is_ruby_pointer(iseq) || read_user(&body, sizeof(body), iseq + RUBY_ISEQ_BODY)) {
    return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
  if (!is_ruby_pointer(body) || read_user(script->words, 4 * sizeof(__u64), body + RUBY_BODY_LOCATION)) {
    return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
  const __u64 path = script->words[0], label = script->words[2];
  const __u32 line = layout->at[RUBY_LINE_IS_TAGGED] ? (__u32)(script->words[3] >> 1) : (__u32)script->words[3];
  if (!is_ruby_pointer(path) || !is_ruby_pointer(label)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (read_user(script->words, RUBY_OBJECT_BYTES, label)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if ((script->words[0] & RUBY_TYPE_MASK) != RUBY_STRING) return STEP_MISSING + SCRIPT_NOT_READABLE;
  script->function = body;
  script->file = path;
  script->line = line;
  script->proof[0] = label;
  script->proof[1] = path;
  script->proof[2] = script->words[2] ^ (__u64)line << 40;
  script->proof[3] = script->words[3];
  /* The beginning of the text, also where it lies elsewhere: the object's memory may be used again. */
  script->can_be_known =
      !(script->words[0] & RUBY_IS_ELSEWHERE) ||
      (is_ruby_pointer(script->words[3]) && !read_user(&script->proof[3], sizeof(__u64), script->words[3]));
  return !previous || flags & RUBY_FLAG_FINISH ? STEP_LAST_FUNCTION : STEP_FUNCTION;
}

/* As read_python_text(), for a String. */
static __always_inline int read_ruby_text(struct script_walk *script, const struct script_layout *layout, __u64 at,
                                          struct script_text *text, char *to, const __u32 most, bool from_end) {
  if (!is_ruby_pointer(at) || read_user(script->words, RUBY_OBJECT_BYTES, at)) return 1;
  const __u64 flags = script->words[0];
  if ((flags & RUBY_TYPE_MASK) != RUBY_STRING) return 1;
  const __u32 own_at = layout->at[RUBY_TEXT_AT];
  __u64 bytes = script->words[2], from = at + own_at;
  if (flags & RUBY_IS_ELSEWHERE) {
    from = script->words[3];
  } else if (own_at == 16) {
    bytes = flags >> 14 & 31;
  }
  if (bytes >> 32 || from < LOWEST_CODE) return 1;
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
static __always_inline int read_ruby_names(struct script_walk *script, const struct script_layout *layout) {
  struct ring_name *name = &script->name;
  __u64 path = script->file, first = 0;
  /* An Array has the path as it was given, and behind it the real one. */
  if (read_user(script->words, RUBY_OBJECT_BYTES + 8, path)) return 1;
  if ((script->words[0] & RUBY_TYPE_MASK) == RUBY_ARRAY) {
    first = script->words[2];
    if (!(script->words[0] & RUBY_IS_ELSEWHERE) && read_user(&first, sizeof(first), script->words[4])) return 1;
    path = first;
  }
  return read_ruby_text(script, layout, script->proof[0], &name->name, name->name_text, SCRIPT_NAME_BYTES, false) ||
         read_ruby_text(script, layout, path, &name->path, name->path_text, SCRIPT_PATH_BYTES, true);
}

#endif
