/* Shows the functions of a script in place of its interpreter's function. A marked row says that a frame belongs to an
 * interpreter (abi/unwind.h), and the layout of its file (abi/script.h) how to find the script's frames. These come
 * one at a time, between the frames of the stack, and all or none: if one cannot be read, the interpreter's own frame
 * stays. */
#ifndef PROFILE_SCRIPT_BPF_H
#define PROFILE_SCRIPT_BPF_H

#include "java.bpf.h"
#include "node.bpf.h"
#include "perl.bpf.h"
#include "php.bpf.h"
#include "python.bpf.h"
#include "ruby.bpf.h"
#include "script_step.bpf.h"
#include "stack_hash.bpf.h"
#include "walk_host.bpf.h"

/* Adds a frame to the stack. An address may belong to several files, one after the other, and a row of the histogram
 * must belong to one of them: `identity` says to which. */
static __always_inline void add_frame(struct walk *walk, __u64 frame, __u64 identity) {
  const __u32 depth = walk->depth;
  walk->frames[depth & (WALK_MOST_FRAMES - 1)] = frame;
  walk->depth = depth + 1;
  add_to_hash(walk, frame ^ identity);
}

/* What walk_frame() returns, besides an enum walk_end, when show_script() comes next. */
#define SCRIPT_GOES_ON WALK_ENDS
static __always_inline bool is_turn_of_script(const struct walk *walk) {
  return are_scripts_wanted() && *(volatile const __u32 *)&walk->script.turn;
}

static __always_inline void begin_scripts(struct walk *walk) {
  walk->script.turn = TURN_NONE;
  walk->script.is_off = 0;
  walk->script.is_core = 0;
  walk->script.met = SCRIPT_NONE;
  walk->script.missing = SCRIPT_WHOLE;
  walk->script.has_next = 0;
  walk->script.must_fit = 0;
  walk->script.shift = SHIFT_NONE;
  walk->script.is_code_late = 0;
  walk->script.position = 0;
  walk->script.java = walk->script.java_callee = JAVA_NONE;
  walk->script.java_count = 0;
  walk->script.java_next = 0;
}

/* The frame whose row is marked has been left: walk->sp is its CFA. `sp`: its own stack pointer. `place`: the offset in
 * its file. */
static __always_inline void note_interpreter(struct walk *walk, __u64 sp, __u64 place) {
  struct script_walk *script = &walk->script;
  if (!are_scripts_wanted() || script->is_off || !walk->mapping.layout) return;
  const __u32 number = walk->mapping.layout;
  const struct script_layout *layout = script_layout_of(number);
  if (!layout || !(walk_config.languages >> (layout->language & 31) & 1)) return;
  if (layout->language == SCRIPT_RUBY && place - layout->at[RUBY_CORE] < layout->at[RUBY_CORE_BYTES]) {
    script->is_core = 1;
    return;
  }
  script->met = layout->language;
  if (place - layout->start < layout->valid_from) {
    if (script->missing == SCRIPT_WHOLE) script->missing = SCRIPT_NOT_BEGUN;
    return;
  }
  script->layout = number;
  script->language = layout->language;
  script->sp = sp;
  script->cfa = walk->sp;
  script->bias = walk->mapping.bias;
  script->caller = walk->pc - script->bias;
  script->frame = 0;
  script->turn = TURN_RUN;
}

/* Called for a frame before its word goes into the hash: takes the frame off the stack if a run begins. */
static __always_inline bool begin_run(struct walk *walk) {
  struct script_walk *script = &walk->script;
  if (!are_scripts_wanted() || (script->turn == TURN_NONE && !script->is_core)) return false;
  const __u32 depth = walk->depth - 1;
  walk->depth = depth;
  if (script->is_core) {
    script->is_core = 0;
    return true;
  }
  script->depth = depth;
  script->shown = walk->frames[depth & (WALK_MOST_FRAMES - 1)];
  __builtin_memcpy(script->hash, walk->hash, sizeof(script->hash));
  return true;
}

/* Puts the interpreter's own frame back in the place of what the run has added. */
static __always_inline int give_up_run(struct walk *walk, __u32 why) {
  struct script_walk *script = &walk->script;
  if (script->missing == SCRIPT_WHOLE) script->missing = why;
  script->turn = TURN_NONE;
  script->has_next = 0;
  __builtin_memcpy(walk->hash, script->hash, sizeof(script->hash));
  walk->depth = script->depth;
  add_frame(walk, script->shown, script->identity);
  return WALK_GOES_ON;
}

/* Adds words of script->name, from its word `first` on, to script->name_state. */
#define NAME_WORDS ((sizeof(struct ring_name) - offsetof(struct ring_name, language)) / sizeof(__u64))
#define NAME_WORDS_AT_ONCE 16
__noinline int hash_name_words(__u32 slot, __u32 first) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 0;
  const __u64 *words = (const __u64 *)&walk->script.name.language;
  __u64 *state = walk->script.name_state;
  __u64 v[4] = {state[0], state[1], state[2], state[3]};
  for (__u32 i = 0; i < NAME_WORDS_AT_ONCE; i++) {
    __u64 at = first + i;
    KEEP_BELOW(at, 64);
    if (at >= NAME_WORDS) break;
    const __u64 word = words[at];
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
  }
  __builtin_memcpy(state, v, sizeof(v));
  return 0;
}

/* Puts the frame's word for script->name into script->id. */
static __always_inline void name_function(__u32 slot, struct script_walk *script) {
  /* SipHash as for stacks: a program must not be able to make two functions with the same word. */
  __u64 *v = script->name_state;
  v[0] = walk_config.seed[0] ^ 0x736f6d6570736575ULL;
  v[1] = walk_config.seed[1] ^ 0x646f72616e646f6dULL;
  v[2] = walk_config.seed[0] ^ 0x6c7967656e657261ULL;
  v[3] = walk_config.seed[1] ^ 0x7465646279746573ULL;
  for (__u32 first = 0; first < NAME_WORDS; first += NAME_WORDS_AT_ONCE) hash_name_words(slot, first);
  v[2] ^= 0xff;
  sip_round(v);
  sip_round(v);
  sip_round(v);
  script->name_hash = v[0] ^ v[1] ^ v[2] ^ v[3];
  script->id = SCRIPT_FRAME | (script->name_hash & (SCRIPT_FRAME - 1));
  if (are_lines_wanted()) script->id &= ~SCRIPT_POSITION_MASK;
  script->name.frame = script->id;
}

/* Reads the table of lines of the function at hand. Its hash is a part of what the function is, because two functions
 * on one line may have the same name. */
__noinline int read_table(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk || !are_lines_wanted()) return 0;
  struct script_walk *script = &walk->script;
  struct ring_lines *lines = lines_of(walk);
  __u64 bytes = script->table_bytes, hash = walk_config.seed[0];
  if (!lines || bytes > SCRIPT_TABLE_BYTES) return 0;
  lines->bytes = bytes;
  KEEP_BELOW(bytes, 2 * SCRIPT_TABLE_BYTES);
  if (bytes > SCRIPT_TABLE_BYTES) return 0;
  if (bytes && read_user(lines->table, bytes, script->table)) return 0;
  const __u64 *words = (const __u64 *)lines->table;
  const __u32 whole = script->table_bytes / sizeof(__u64), rest = 8 * (script->table_bytes % sizeof(__u64));
  for (__u32 i = 0; i < SCRIPT_TABLE_BYTES / sizeof(__u64); i++) {
    __u64 at = i;
    KEEP_BELOW(at, SCRIPT_TABLE_BYTES / sizeof(__u64));
    if (i >= whole) {
      if (rest) hash = mixed_with(hash, words[at] << (64 - rest));
      break;
    }
    hash = mixed_with(hash, words[at]);
  }
  script->name.table_bytes = script->table_bytes;
  script->name.table_hash = hash | 1;
  return 0;
}

/* Sets script->position for the function at hand, and adds to script->proof what shows that its lines are the same. */
__noinline int find_position(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk || !are_lines_wanted()) return 0;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = script_layout_of(script->layout);
  script->position = 0;
  script->table = 0;
  if (!layout || !layout->lines) return 0;
  if (script->language == SCRIPT_PYTHON) find_python_position(script, layout);
  if (script->language == SCRIPT_PHP) find_php_position(walk, layout);
  if (script->language == SCRIPT_PERL) find_perl_position(script, layout);
  if (script->position > SCRIPT_POSITION_MASK) script->position = 0;
  return 0;
}

/* Sets script->id for the function at hand by its names. Returns 0 when they were read. */
__noinline int read_function(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 1;
  struct script_walk *script = &walk->script;
  const struct script_layout *layout = script_layout_of(script->layout);
  if (!layout) return 1;
  __builtin_memset(&script->name, 0, sizeof(script->name));
  script->name.language = layout->language;
  script->name.line = script->line;
  if (are_lines_wanted()) script->name.lines = layout->lines;
  switch (layout->language) {
    case SCRIPT_PYTHON:
      if (read_python_names(script, layout)) return 1;
      break;
    case SCRIPT_PHP:
      if (read_php_names(script)) return 1;
      break;
    case SCRIPT_NODE:
      if (read_node_names(slot)) return 1;
      break;
    case SCRIPT_JAVA:
      if (read_java_names(slot)) return 1;
      break;
    case SCRIPT_PERL:
      if (read_perl_names(slot)) return 1;
      break;
    case SCRIPT_RUBY:
      if (read_ruby_names(script, layout)) return 1;
      break;
    default:
      return 1;
  }
  if (are_lines_wanted() && script->name.lines > SCRIPT_LINES_DIRECT && script->table) read_table(slot);
  name_function(slot, script);
  if (send_name(walk) && script->can_be_known) remember_function(walk);
  return 0;
}

/* Remembers the engine of the program, whose code lies in other mappings than its file, when its file is met. */
__noinline int note_code_layout(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return 0;
  take_engine(walk, walk->mapping.layout, walk->mapping.bias, false);
  return 0;
}
static __always_inline bool may_be_engine(const struct walk *walk) {
  return are_scripts_wanted() && walk->mapping.layout && !walk->code_layout;
}

/* Goes to the caller of a frame of Java, which its engine describes. Returns JAVA_NOT where the current frame, without
 * a table, is none. */
static __always_inline int leave_java_frame(struct walk *walk) {
  struct script_walk *script = &walk->script;
  const struct walk_mapping *mapping = &walk->mapping;
  if (!are_scripts_wanted() || mapping->kind != MAPPING_PLAIN || mapping->identity || mapping->is_vdso) return JAVA_NOT;
  if (!walk->code_layout) find_engine(walk->slot);
  if (!walk->code_layout || !walk->java.bias || script->is_off) return JAVA_NOT;
  if (!walk->java.is_known && read_java_heaps(walk->slot)) return WALK_NO_CFI;
  script->java_live = 0;
  int end = find_java_blob(walk->slot);
  if (end == WALK_GOES_ON) end = java_frame(walk->slot);
  if (end == JAVA_IN_STUB) end = leave_java_stub(walk->slot);
  if (end == JAVA_IN_INTERPRETER) {
    end = walk->was_interrupted ? leave_young_frame(walk->slot) : JAVA_NOT;
    if (end == JAVA_NOT) end = java_interpreted(walk->slot);
  }
  if (end == WALK_GOES_ON || end == JAVA_NOT) return end;
  if (script->missing == SCRIPT_WHOLE) {
    script->missing = end == WALK_NOT_READABLE ? SCRIPT_NOT_READABLE : SCRIPT_NOT_BEGUN;
  }
  /* The last frame is one method. */
  script->java_methods[0] = script->proof[2];
  script->java_places[0] = 0;
  script->java_count = 1;
  return end;
}

/* Sets script->id to the function of the frame that was left last. Returns 0 when it has one. */
static __always_inline int find_function_of_code(struct walk *walk) {
  struct script_walk *script = &walk->script;
  script->layout = walk->code_layout;
  const struct script_layout *layout = script_layout_of(script->layout);
  if (!layout) return 1;
  const int step = layout->language == SCRIPT_JAVA ? java_function(walk) : node_function(walk, layout);
  if (step == STEP_END) return 1;
  script->met = layout->language;
  if (step == STEP_FUNCTION && (recall_function(walk) || !read_function(walk->slot))) return 0;
  if (script->missing == SCRIPT_WHOLE) script->missing = SCRIPT_NOT_READABLE;
  return 1;
}

/* Puts that function in the place of the frame, if it has one, and the frame into the hash. */
static __always_inline int name_code(struct walk *walk) {
  struct script_walk *script = &walk->script;
  /* The first method of several takes the place of the frame, the others follow. */
  const bool is_more = script->java_next != 0;
  const __u32 depth = is_more ? walk->depth : walk->depth - 1;
  __u64 frame = is_more ? SCRIPT_FRAME : walk->frames[depth & (WALK_MOST_FRAMES - 1)];
  __u64 identity = is_more ? 0 : script->identity;
  script->turn = TURN_NONE;
  script->position = 0;
  if (is_more && depth >= walk_config.depth) return WALK_TOO_DEEP;
  if (!find_function_of_code(walk)) {
    frame = script->id | script->position;
    identity = 0;
  }
  walk->depth = depth;
  add_frame(walk, frame, identity);
  if (script->java_next < script->java_count) script->turn = TURN_CODE;
  return script->end;
}

/* Called for a frame before its word goes into the hash: says whether name_code() will put it there, because it may be
 * code of the engine. What of that lies in the engine's file has no table. */
static __always_inline bool begin_code(struct walk *walk) {
  struct script_walk *script = &walk->script;
  if (!are_scripts_wanted() || script->is_off) return false;
  if (script->java) {
    script->turn = TURN_CODE;
    return true;
  }
  if (!walk->left_fp) return false;
  if (!walk->mapping.identity) script->is_code_late |= !walk->code_layout;
  if (!walk->code_layout || (walk->mapping.identity && walk->mapping.layout != walk->code_layout)) return false;
  script->turn = TURN_CODE;
  return true;
}

static __always_inline int next_function(__u32 slot, __u32 language) {
  switch (language) {
    case SCRIPT_PYTHON:
      return python_step(slot);
    case SCRIPT_PHP:
      return php_step(slot);
    case SCRIPT_PERL:
      return perl_step(slot);
    case SCRIPT_RUBY:
      return ruby_step(slot);
    default:
      return STEP_MISSING + SCRIPT_NOT_READABLE;
  }
}

/* Adds the next frame of the script, or ends the run. Returns WALK_GOES_ON, or why the walk ends. */
static __always_inline int script_frame(struct walk *walk) {
  struct script_walk *script = &walk->script;
  const __u32 slot = walk->slot;
  const int step = next_function(slot, script->language);
  if (step == STEP_NOTHING) return WALK_GOES_ON; /* the loop over the frames bounds these, too */
  if (step >= STEP_MISSING) return give_up_run(walk, step - STEP_MISSING);
  if (step == STEP_BACK) {
    __builtin_memcpy(walk->hash, script->mark_hash, sizeof(script->mark_hash));
    walk->depth = script->mark_depth;
  }
  if (step == STEP_END || step == STEP_DONE || step == STEP_BACK) {
    script->turn = TURN_NONE;
    return step == STEP_END && walk->depth == script->depth ? give_up_run(walk, SCRIPT_NOT_BEGUN) : WALK_GOES_ON;
  }
  if (walk->depth >= walk_config.depth) return WALK_TOO_DEEP;
  if (are_lines_wanted()) find_position(slot);
  /* An address alone says nothing, because the memory of a function is used again. */
  const bool is_known = script->can_be_known && recall_function(walk);
  if (!is_known && read_function(slot)) return give_up_run(walk, SCRIPT_NOT_READABLE);
  add_frame(walk, script->id | script->position, 0);
  if (step == STEP_LAST_FUNCTION) script->turn = TURN_NONE;
  return WALK_GOES_ON;
}

/* Adds what script.turn says. Returns WALK_GOES_ON, or why the walk ends. */
__noinline int show_script(__u32 slot) {
  struct walk *walk = walk_in_scripts(slot);
  if (!walk) return WALK_NOT_READABLE;
  return walk->script.turn == TURN_CODE ? name_code(walk) : script_frame(walk);
}

/* Whether the frames of scripts fit the frames of their interpreter. A chain of all frames of a thread must end where
 * the stack ends; otherwise the sample fell between "frame taken off" and "function returned". */
static __always_inline bool do_scripts_fit(const struct walk *walk, int end) {
  if (!are_scripts_wanted() || !walk->script.must_fit) return true;
  const bool is_root = end == WALK_ROOT || end == WALK_ROOT_BY_FP;
  return is_root && walk->script.has_next && !walk->script.next;
}

/* If the frames of a script, which do not fit, may fit in another way: which one. */
static __always_inline enum script_shift shift_of(const struct walk *walk, int end) {
  const struct script_walk *script = &walk->script;
  if (script->met != SCRIPT_PERL || (end != WALK_ROOT && end != WALK_ROOT_BY_FP)) return SHIFT_NONE;
  if (script->has_next) return SHIFT_DROP;
  return script->missing == SCRIPT_NO_PLACE ? SHIFT_EMPTY : SHIFT_NONE;
}

#endif
