/* The frames of Perl (abi/script.h says where): an array of contexts, one for each call, eval and loop, and a new array
 * where C code puts the old one aside. Each context of a call or an eval names the next outer one. One frame of the
 * interpreter's function runs many calls; the one that C code has made has no operation to return to. */
#ifndef PROFILE_PERL_BPF_H
#define PROFILE_PERL_BPF_H

#include "script_step.bpf.h"

/* cop.h: struct stackinfo, in words: the array of the stack, the contexts, the outer structure, the innermost context,
 * and the innermost one of a call or eval with the kind of stack. */
#define PERL_INFO_BYTES 48
#define PERL_KIND_MAIN 1
/* struct context, in words: its type, where it returns to, the next outer one of a call or eval, then for a call the
 * function and how often that ran already, and for an eval the structure on the C stack to which an exception jumps. */
#define PERL_CONTEXT_BYTES 104
#define PERL_CONTEXT_STATEMENT 2
#define PERL_CONTEXT_RETURN 6
#define PERL_CONTEXT_OUTER 7
#define PERL_CONTEXT_FUNCTION 9
#define PERL_CONTEXT_TIMES 10
#define PERL_CONTEXT_CATCH 12
#define PERL_TYPE_MASK 15
#define PERL_TYPE_CALL 9
#define PERL_TYPE_EVAL 11
#define PERL_IS_PATTERN 0x40   /* code of a regular expression */
#define PERL_IN_PATTERN 0x80   /* which belongs to the function around it */
#define PERL_IN_FUNCTION 0xc0  /* of an eval: it is a block, and neither a text nor a file */
#define PERL_CATCHER_BYTES 256 /* less than the frame that has it, with the next outer frame of the interpreter */
#define PERL_MOST_CONTEXTS (1 << 24)
/* cv.h: the body of a function, read from its package on, in words: package, first operation, name, file, flags and how
 * often it runs. */
#define PERL_BODY_AT 0x20
#define PERL_BODY_BYTES 72
#define PERL_BODY_START 1
#define PERL_BODY_NAME 3
#define PERL_BODY_FILE 4
#define PERL_BODY_FLAGS 7
#define PERL_BODY_RUNS 8
#define PERL_HAS_OWN_NAME 0x8000ULL
/* gv.h: the body of what a function is bound to has its name and package. */
#define PERL_GLOB_NAME 0x20
/* hv.h: a name is a hash, a length, the bytes, a NUL and flags; a hash's body has the index of its last bucket. */
#define PERL_NAME_AT 8
#define PERL_NAME_IS_UTF8 1
#define PERL_MOST_NAME 4096
#define PERL_HASH_BUCKETS 16
#define PERL_HASH_LAST 24
#define PERL_HASH_NAME 32
#define PERL_NAMES_COUNT 28 /* from the name on */
/* op.h, cop.h: a statement has its line behind the common part of all operations. */
#define PERL_STATEMENT_LINE 0x24
#define PERL_STATEMENT_AT 0x20 /* what is read of it for lines, in words: the line in the upper half, and the file */
#define PERL_STATEMENT_FILE 2
#define PERL_OPERATION 8 /* PerlInterpreter: the operation that runs, which begins with the one behind it */

/* Indexes into script_walk::own. */
enum perl_own {
  PERL_OWN_INTERPRETER,
  PERL_OWN_CONTEXTS,   /* of the current stack */
  PERL_OWN_OUTER,      /* the structure of the next outer stack */
  PERL_OWN_IS_MAIN,    /* the current stack is the outermost one */
  PERL_OWN_INDEX,      /* of the next context, and 1; 0: there is none */
  PERL_OWN_CATCH,      /* the run is that of layout->at[PERL_CATCH]: where exceptions jump to; 0: not known yet */
  PERL_OWN_MARK_INDEX, /* PERL_OWN_INDEX behind the mark; ~0: there is no mark */
  PERL_OWN_FLAGS,
  PERL_OWN_START,          /* of the function at hand: its first operation */
  PERL_OWN_PACKAGE,        /* and the hash of its package */
  PERL_OWN_STATEMENT,      /* the innermost one that the next function may be at; 0: it is not known */
  PERL_OWN_MARK_STATEMENT, /* the same behind the mark */
  PERL_OWN_AT,             /* that of the function at hand */
};
#define PERL_IS_FIRST 1 /* no context was taken yet: the innermost may be half made */
#define PERL_MAIN_IS_SHOWN 2
/* The calls of the next frames of the interpreter were shown: up to one that is no catch. */
#define PERL_IS_INHERITED 8
#define PERL_IS_DROPPING 4 /* what is met belongs to no frame of the interpreter: see SHIFT_DROP */

static __always_inline bool is_perl_pointer(__u64 address) { return address >= LOWEST_CODE && !(address & 7); }

/* Makes the stack with that structure the current one. Returns 0 when it could be read. */
static __always_inline int enter_perl_stack(struct script_walk *script, __u64 at) {
  if (!is_perl_pointer(at) || read_user(script->words, PERL_INFO_BYTES, at)) return 1;
  const __u64 kind = script->words[5] >> 32;
  script->own[PERL_OWN_CONTEXTS] = script->words[1];
  script->own[PERL_OWN_OUTER] = script->words[2];
  script->own[PERL_OWN_IS_MAIN] = kind == PERL_KIND_MAIN;
  script->own[PERL_OWN_INDEX] = (__u32)((__u32)script->words[5] + 1);
  script->next = at;
  return script->own[PERL_OWN_INDEX] > PERL_MOST_CONTEXTS;
}

/* Reads a context of the current stack into script->words. Returns 0 when it could be read. */
static __always_inline int read_perl_context(struct script_walk *script, __u64 index) {
  const __u64 at = script->own[PERL_OWN_CONTEXTS] + (index - 1) * PERL_CONTEXT_BYTES;
  return !is_perl_pointer(at) || read_user(script->words, PERL_CONTEXT_BYTES, at);
}
static __always_inline bool is_perl_context(const struct script_walk *script, __u32 type) {
  return (script->words[0] & PERL_TYPE_MASK) == type;
}
static __always_inline __u64 outer_perl_context(const struct script_walk *script) {
  return (__u32)((__u32)script->words[PERL_CONTEXT_OUTER] + 1);
}

/* The run has ended, and the next one begins at the next outer call. Returns an enum script_step. */
static __always_inline int end_perl_run(struct script_walk *script, int step) {
  const __u64 outer = script->own[PERL_OWN_OUTER];
  if (script->own[PERL_OWN_INDEX]) return step;
  if (!script->own[PERL_OWN_IS_MAIN] && enter_perl_stack(script, outer)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (script->own[PERL_OWN_IS_MAIN] && !script->own[PERL_OWN_INDEX]) script->next = 0;
  return step;
}

/* The same behind a call that returns to no operation. C code has made it, and may have made an eval around it. But so
 * is a call with which the code of a regular expression ends. */
static __always_inline int end_perl_run_of_call(struct script_walk *script, int step) {
  const __u64 index = script->own[PERL_OWN_INDEX];
  if (index) {
    if (read_perl_context(script, index)) return STEP_MISSING + SCRIPT_NOT_READABLE;
    const __u64 outer = outer_perl_context(script);
    if (is_perl_context(script, PERL_TYPE_CALL) && script->words[0] & PERL_IS_PATTERN) {
      return step == STEP_LAST_FUNCTION ? STEP_FUNCTION : STEP_NOTHING;
    }
    if (is_perl_context(script, PERL_TYPE_EVAL) && !script->words[PERL_CONTEXT_RETURN] && outer < index) {
      script->own[PERL_OWN_INDEX] = outer;
      if (!(script->words[0] & PERL_IN_FUNCTION))
        script->own[PERL_OWN_STATEMENT] = script->words[PERL_CONTEXT_STATEMENT];
    }
  }
  return end_perl_run(script, step);
}

static __always_inline int end_perl_run_at_mark(struct script_walk *script) {
  script->own[PERL_OWN_INDEX] = script->own[PERL_OWN_MARK_INDEX];
  script->own[PERL_OWN_STATEMENT] = script->own[PERL_OWN_MARK_STATEMENT];
  return end_perl_run(script, STEP_BACK);
}

/* Whether the run belongs to an eval. It ends at the outermost eval context that it has made. When that is gone, the
 * same frame of the interpreter goes on with what its caller had begun, and then all of that belongs to it. */
static __always_inline bool is_perl_catch(const struct script_walk *script, const struct script_layout *layout) {
  return script->caller - layout->at[PERL_CATCH] < layout->at[PERL_CATCH_BYTES];
}

/* A context that is being left is no current call any more before its statement is left. */
static __always_inline void begin_perl_statements(struct script_walk *script, __u64 statement) {
  const __u32 innermost = (__u32)((__u32)script->words[4] + 1);
  script->own[PERL_OWN_STATEMENT] = statement;
  if (innermost == script->own[PERL_OWN_INDEX] || innermost - 1 >= PERL_MOST_CONTEXTS) return;
  if (read_perl_context(script, innermost)) {
    script->own[PERL_OWN_STATEMENT] = 0;
    return;
  }
  const bool is_left = is_perl_context(script, PERL_TYPE_CALL) || is_perl_context(script, PERL_TYPE_EVAL);
  if (is_left && script->words[PERL_CONTEXT_STATEMENT] != statement) script->own[PERL_OWN_STATEMENT] = 0;
}

/* Whether the call at hand is at its caller's statement still, because its own first one has not begun. `back`: where
 * it returns to. */
static __always_inline bool is_perl_call_new(struct script_walk *script, __u64 outside, __u64 back, bool is_first) {
  __u64 operation = 0, next = 0;
  if (script->own[PERL_OWN_STATEMENT] != outside) return false;
  /* C code may have put the statement of its caller back. */
  if (!back) return true;
  /* Or a function calls itself in one statement. */
  if (!is_first) return false;
  /* Only such a function can be at it. Another one was just called, or a goto has put it in the place of its caller. */
  const __u64 caller = script->own[PERL_OWN_INDEX];
  if (!caller || read_perl_context(script, caller) || !is_perl_context(script, PERL_TYPE_CALL)) return true;
  if (script->words[PERL_CONTEXT_FUNCTION] != script->function) return true;
  if (read_user(&operation, sizeof(operation), script->own[PERL_OWN_INTERPRETER] + PERL_OPERATION)) return true;
  if (!is_perl_pointer(operation) || read_user(&next, sizeof(next), operation)) return true;
  return next == back || operation == script->own[PERL_OWN_START];
}

/* Notes at which statement the call is, and at which one its caller. `outside`: the latter, by its context. */
static __always_inline void take_perl_statement(struct script_walk *script, int step, __u64 outside, __u64 back,
                                                bool is_first) {
  if (step == STEP_FUNCTION) {
    const bool is_new = is_perl_call_new(script, outside, back, is_first);
    script->own[PERL_OWN_AT] = is_new ? 0 : script->own[PERL_OWN_STATEMENT];
    script->own[PERL_OWN_STATEMENT] = outside;
  } else if (script->own[PERL_OWN_STATEMENT] != outside) {
    script->own[PERL_OWN_STATEMENT] = 0; /* the call is half made, or half left */
  }
}

/* Returns 0, or how the run ends at once. */
static __always_inline int begin_perl_run(struct script_walk *script, const struct script_layout *layout) {
  script->must_fit = 1;
  script->own[PERL_OWN_CATCH] = 0;
  script->own[PERL_OWN_MARK_INDEX] = ~0ULL;
  if (!script->has_next) {
    /* The current statement lies before the stack. */
    __u64 thread = 0, stack[3];
    const __u64 interpreter = value_of_key(script, layout, &thread);
    if (!interpreter || read_user(stack, sizeof(stack), interpreter + layout->at[PERL_STACK] - sizeof(__u64))) {
      return STEP_MISSING + SCRIPT_NOT_READABLE;
    }
    script->own[PERL_OWN_INTERPRETER] = interpreter;
    script->own[PERL_OWN_FLAGS] = PERL_IS_FIRST | (script->shift == SHIFT_DROP ? PERL_IS_DROPPING : 0);
    /* The structure knows its array: so this is Perl's interpreter. */
    if (enter_perl_stack(script, stack[2]) || script->words[0] != stack[1]) return STEP_MISSING + SCRIPT_NOT_READABLE;
    script->has_next = 1;
    if (are_lines_wanted()) begin_perl_statements(script, stack[0]);
    if (script->shift == SHIFT_EMPTY) return STEP_DONE;
  }
  if (script->own[PERL_OWN_FLAGS] & PERL_IS_INHERITED) {
    if (!is_perl_catch(script, layout)) script->own[PERL_OWN_FLAGS] &= ~(__u64)PERL_IS_INHERITED;
    return STEP_DONE;
  }
  script->frame = 1;
  return 0;
}

/* What the script runs outside of functions is the outermost frame of the interpreter. */
static __always_inline int perl_main(struct script_walk *script) {
  if (script->own[PERL_OWN_FLAGS] & PERL_MAIN_IS_SHOWN) return STEP_MISSING + SCRIPT_NO_PLACE;
  script->own[PERL_OWN_FLAGS] |= PERL_MAIN_IS_SHOWN;
  script->own[PERL_OWN_AT] = script->own[PERL_OWN_STATEMENT];
  script->next = 0;
  script->function = 0;
  script->line = 0;
  script->can_be_known = 0;
  return STEP_LAST_FUNCTION;
}

/* Sets the function at hand to `function`. Returns an enum script_step. `times`: how often it ran before this call. */
static __always_inline int take_perl_function(struct script_walk *script, __u64 function, __u32 times) {
  const bool is_first = script->own[PERL_OWN_FLAGS] & PERL_IS_FIRST;
  __u64 body = 0, name = 0, package = 0;
  script->own[PERL_OWN_FLAGS] &= ~(__u64)PERL_IS_FIRST;
  if (!function && is_first) return STEP_NOTHING; /* it is being left */
  if (!is_perl_pointer(function) || read_user(&body, sizeof(body), function) || !is_perl_pointer(body) ||
      read_user(script->words, PERL_BODY_BYTES, body + PERL_BODY_AT)) {
    return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
  /* A context says in its last word that it is whole, and until then it may hold an earlier call. */
  if (is_first && (__u32)script->words[PERL_BODY_RUNS] != times + 1) return STEP_NOTHING;
  const __u64 start = script->words[PERL_BODY_START], file = script->words[PERL_BODY_FILE];
  name = script->words[PERL_BODY_NAME];
  package = script->words[0];
  if (!(script->words[PERL_BODY_FLAGS] >> 32 & PERL_HAS_OWN_NAME)) {
    __u64 glob = 0, pair[2];
    if (!is_perl_pointer(name) || read_user(&glob, sizeof(glob), name) || !is_perl_pointer(glob) ||
        read_user(pair, sizeof(pair), glob + PERL_GLOB_NAME)) {
      return STEP_MISSING + SCRIPT_NOT_READABLE;
    }
    name = pair[0];
    package = pair[1];
  }
  /* Its hash and its length. */
  if (name < LOWEST_CODE || name & 3 || read_user(&script->proof[3], sizeof(__u64), name)) {
    return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
  script->function = function;
  script->proof[0] = name;
  script->proof[1] = file;
  script->proof[2] = package ^ start << 16;
  script->own[PERL_OWN_START] = start;
  script->own[PERL_OWN_PACKAGE] = package;
  script->can_be_known = 1;
  return STEP_FUNCTION;
}

static __always_inline int next_perl_function(struct walk *walk, const struct script_layout *layout) {
  struct script_walk *script = &walk->script;
  if (!script->frame) {
    const int end = begin_perl_run(script, layout);
    if (end) return end;
  }
  const bool is_catch = is_perl_catch(script, layout) && !(script->own[PERL_OWN_FLAGS] & PERL_IS_DROPPING);
  const bool has_mark = script->own[PERL_OWN_MARK_INDEX] != ~0ULL;
  const __u64 index = script->own[PERL_OWN_INDEX];
  if (!index) {
    if (has_mark) return end_perl_run_at_mark(script);
    if (is_catch) script->own[PERL_OWN_FLAGS] |= PERL_IS_INHERITED;
    return script->own[PERL_OWN_IS_MAIN] ? perl_main(script) : end_perl_run(script, STEP_DONE);
  }
  if (read_perl_context(script, index)) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const __u64 outer = outer_perl_context(script);
  const __u64 back = script->words[PERL_CONTEXT_RETURN];
  if (outer >= index) return STEP_MISSING + SCRIPT_NOT_READABLE;
  if (is_perl_context(script, PERL_TYPE_EVAL)) {
    const __u64 catcher = script->words[PERL_CONTEXT_CATCH], outside = script->words[PERL_CONTEXT_STATEMENT];
    script->own[PERL_OWN_FLAGS] &= ~(__u64)PERL_IS_FIRST;
    /* It lies in the frame of that function. */
    if (is_catch && !script->own[PERL_OWN_CATCH] && catcher - script->cfa < PERL_CATCHER_BYTES) {
      script->own[PERL_OWN_CATCH] = catcher;
    }
    if (is_catch && catcher != script->own[PERL_OWN_CATCH]) {
      return has_mark ? end_perl_run_at_mark(script) : STEP_DONE;
    }
    script->own[PERL_OWN_INDEX] = outer;
    if (!(script->words[0] & PERL_IN_FUNCTION)) script->own[PERL_OWN_STATEMENT] = outside;
    if (is_catch) {
      script->own[PERL_OWN_MARK_STATEMENT] = script->own[PERL_OWN_STATEMENT];
      /* The run ends at the outermost eval of this kind, and this may be it. */
      script->own[PERL_OWN_MARK_INDEX] = outer;
      script->mark_depth = walk->depth;
      __builtin_memcpy(script->mark_hash, walk->hash, sizeof(script->mark_hash));
    }
    /* C code has begun this eval. */
    if (!is_catch && !back) return end_perl_run(script, STEP_DONE);
    return STEP_NOTHING;
  }
  if (!is_perl_context(script, PERL_TYPE_CALL)) {
    script->own[PERL_OWN_INDEX] = outer;
    script->own[PERL_OWN_STATEMENT] = script->words[PERL_CONTEXT_STATEMENT];
    return STEP_NOTHING; /* a format */
  }
  const bool was_first = script->own[PERL_OWN_FLAGS] & PERL_IS_FIRST;
  const __u64 function = script->words[PERL_CONTEXT_FUNCTION], outside = script->words[PERL_CONTEXT_STATEMENT];
  const __u32 times = (__u32)script->words[PERL_CONTEXT_TIMES];
  if (!back && has_mark) return end_perl_run_at_mark(script);
  script->own[PERL_OWN_INDEX] = outer;
  const bool is_shown = !(script->words[0] & PERL_IN_PATTERN);
  int step = STEP_NOTHING;
  if (is_shown) {
    step = take_perl_function(script, function, times);
    if (are_lines_wanted()) take_perl_statement(script, step, outside, back, was_first);
  }
  if (back || step >= STEP_MISSING) return step;
  /* A call that is half made does not say yet where it returns to. */
  if (function && was_first && step == STEP_NOTHING && is_shown) return step;
  if (is_catch) script->own[PERL_OWN_FLAGS] |= PERL_IS_INHERITED;
  return end_perl_run_of_call(script, step == STEP_FUNCTION ? STEP_LAST_FUNCTION : STEP_DONE);
}

/* Finds the function of the next frame of the script. Returns an enum script_step. */
__noinline int perl_step(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return STEP_MISSING + SCRIPT_NOT_READABLE;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = script_layout_of(script->layout);
  if (!layout) return STEP_MISSING + SCRIPT_NOT_READABLE;
  const int step = next_perl_function(walk, layout);
  if (!(script->own[PERL_OWN_FLAGS] & PERL_IS_DROPPING) || step >= STEP_MISSING) return step;
  if (step == STEP_LAST_FUNCTION || step == STEP_DONE) {
    script->own[PERL_OWN_FLAGS] &= ~(__u64)PERL_IS_DROPPING;
    script->frame = 0;
  }
  return STEP_NOTHING;
}

/* Reads a name of Perl. As read_python_text(). */
static __always_inline int read_perl_name(__u64 at, struct script_text *text, char *to, const __u32 most) {
  __u64 bytes = 0;
  __u32 length = 0;
  __u8 flags = 0;
  if (at < LOWEST_CODE || at & 3 || read_user(&length, sizeof(length), at + 4) || length > PERL_MOST_NAME) return 1;
  bytes = length;
  if (read_user(&flags, sizeof(flags), at + PERL_NAME_AT + bytes + 1)) return 1;
  text->width = flags & PERL_NAME_IS_UTF8 ? 0 : 1;
  if (bytes > most) {
    text->is_cut = 1;
    bytes = most;
  }
  text->bytes = bytes;
  KEEP_BELOW(bytes, 2 * most);
  return bytes && read_user(to, bytes, at + PERL_NAME_AT);
}

/* The name of a package. 0: it cannot be read. */
static __always_inline __u64 perl_package_name(const struct script_layout *layout, __u64 package) {
  __u64 object[3], at = 0, name = 0, last = 0;
  __s32 count = 0;
  if (!is_perl_pointer(package) || read_user(object, sizeof(object), package) || !is_perl_pointer(object[0])) return 0;
  if (layout->at[PERL_NAME_IS_OWN]) {
    at = object[0] + PERL_HASH_NAME;
  } else {
    if (read_user(&last, sizeof(last), object[0] + PERL_HASH_LAST) || last >= PERL_MOST_CONTEXTS) return 0;
    at = object[PERL_HASH_BUCKETS / 8] + 8 * (last + 1);
  }
  if (!is_perl_pointer(at) || read_user(&name, sizeof(name), at)) return 0;
  if (read_user(&count, sizeof(count), at + PERL_NAMES_COUNT)) return 0;
  /* A package with several names: the first place is free if its own name is no longer one of them. */
  if (count && (!is_perl_pointer(name) || read_user(&name, sizeof(name), name + (count < 0 ? 8 : 0)))) return 0;
  return name;
}

/* As find_position(). The statement must be in the function's file: code of an eval or of a pattern has another. */
static __always_inline void find_perl_position(struct script_walk *script, const struct script_layout *layout) {
  const __u64 statement = script->own[PERL_OWN_AT];
  __u64 path = script->proof[1], read[3], differ = 0;
  if (!is_perl_pointer(statement) || read_user(read, sizeof(read), statement + PERL_STATEMENT_AT)) return;
  if (!script->function &&
      read_user(&path, sizeof(path), script->own[PERL_OWN_INTERPRETER] + layout->at[PERL_SCRIPT_NAME])) {
    return;
  }
  if (path < LOWEST_CODE || read[PERL_STATEMENT_FILE] < LOWEST_CODE) return;
  __builtin_memset(script->words, 0, sizeof(script->words));
  __builtin_memset(script->name.path_text, 0, SCRIPT_PATH_BYTES);
  const long bytes = read_user_text((char *)script->words, sizeof(script->words), read[PERL_STATEMENT_FILE]);
  const __u64 *other = (const __u64 *)script->name.path_text;
  if (bytes <= 0 || bytes == sizeof(script->words)) return;
  if (read_user_text(script->name.path_text, SCRIPT_PATH_BYTES, path) != bytes) return;
  for (int i = 0; i < SCRIPT_WORDS; i++) differ |= script->words[i] ^ other[i];
  if (!differ) script->position = read[0] >> 32;
}

/* Puts the names of the function at hand into script->name. Returns 0 when they were read. */
__noinline int read_perl_names(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 1;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = script_layout_of(script->layout);
  if (!layout) return 1;
  struct ring_name *name = &script->name;
  __u64 path = script->proof[1];
  if (script->function) {
    const __u64 owner = perl_package_name(layout, script->own[PERL_OWN_PACKAGE]), start = script->own[PERL_OWN_START];
    if (read_perl_name(script->proof[0], &name->name, name->name_text, SCRIPT_NAME_BYTES)) return 1;
    if (!owner || read_perl_name(owner, &name->owner, name->owner_text, SCRIPT_OWNER_BYTES)) return 1;
    /* That of the first statement, because Perl keeps no other one. */
    if (is_perl_pointer(start)) read_user(&name->line, sizeof(name->line), start + PERL_STATEMENT_LINE);
  } else {
    if (read_user(&path, sizeof(path), script->own[PERL_OWN_INTERPRETER] + layout->at[PERL_SCRIPT_NAME])) return 1;
  }
  if (path < LOWEST_CODE) return 0;
  const long bytes = read_user_text(name->path_text, SCRIPT_PATH_BYTES, path);
  /* Its end would be wanted, but only its beginning was read. */
  if (bytes == SCRIPT_PATH_BYTES) __builtin_memset(name->path_text, 0, SCRIPT_PATH_BYTES);
  if (bytes > 0 && bytes < SCRIPT_PATH_BYTES) name->path.bytes = bytes - 1;
  return 0;
}

#endif
