/* What a language tells of the next frame of its script, and what several languages need to find it. */
#ifndef PROFILE_SCRIPT_STEP_BPF_H
#define PROFILE_SCRIPT_STEP_BPF_H

#include "walk_host.bpf.h"

/* The result of a step of a language. */
enum script_step {
  STEP_NOTHING,       /* there is no function here; others follow */
  STEP_FUNCTION,      /* script_walk has a function; others follow */
  STEP_LAST_FUNCTION, /* C code has called it: the run ends behind it */
  STEP_END,           /* the run ends, and there is no function here */
  STEP_DONE,          /* the same, and it may have had no function at all */
  STEP_BACK,          /* the run has ended at its mark: what came behind that belongs to the next run */
  STEP_MISSING        /* and the enum script_missing that says why */
};

/* Whether frames of scripts say where in their functions they are. If not, the verifier removes the code for it. */
static __always_inline bool are_lines_wanted(void) { return are_scripts_wanted() && walk_config.lines; }

/* Makes the file with that layout the engine of the program, if it is one whose code lies in other mappings than its
 * file. `bias`: address - offset in the file, of its data if `is_data` is set. */
static __always_inline void take_engine(struct walk *walk, __u32 number, __u64 bias, bool is_data) {
  const struct script_layout *layout = script_layout_of(number);
  if (!layout || !(walk_config.languages >> (layout->language & 31) & 1)) return;
  const bool is_java = layout->head == SCRIPT_HEAD_IN_CODE;
  if (!is_java && (is_data || layout->head != SCRIPT_HEAD_BESIDE_FP)) return;
  if (is_data) bias -= (__s64)(__s32)layout->at[JAVA_DATA_SHIFT];
  walk->code_layout = number;
  walk->java = (struct java_space){.bias = is_java ? bias : 0};
  remember_code_layout(walk);
}

/* In glibc's struct pthread: the values of the first 32 keys, each behind its sequence number. */
#define GLIBC_KEYS 32
#define GLIBC_VALUES_AT 0x310

/* What the thread keeps under the key that the global at layout->head_at has: SCRIPT_HEAD_BY_KEY. Puts the thread's
 * own address into `thread`. 0: it cannot be read. The caller must check it, because other C libraries have the values
 * elsewhere. */
static __always_inline __u64 value_of_key(const struct script_walk *script, const struct script_layout *layout,
                                          __u64 *thread) {
  __u64 pair[2];
  __u32 key = 0;
  if (read_thread_base(thread) || !*thread) return 0;
  if (read_user(&key, sizeof(key), script->bias + layout->head_at) || key >= GLIBC_KEYS) return 0;
  if (read_user(pair, sizeof(pair), *thread + GLIBC_VALUES_AT + key * sizeof(pair))) return 0;
  return pair[1] < LOWEST_CODE || pair[1] & 7 ? 0 : pair[1];
}

#endif
