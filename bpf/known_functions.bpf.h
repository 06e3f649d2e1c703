/* The BPF programs as the host of a walk through scripts: the layouts of interpreters, the functions that this CPU has
 * met, and their names on the way to user space. */
#ifndef PROFILE_KNOWN_FUNCTIONS_BPF_H
#define PROFILE_KNOWN_FUNCTIONS_BPF_H

#include "layout.bpf.h"
#include "script_step.bpf.h"
#include "walk_maps.bpf.h"

MAP(script_layouts, ARRAY, 0, __u32, struct script_layout, SCRIPT_MOST_LAYOUTS);
/* 2048 functions for each of `walks`. A script runs some hundred at a time. In few elements, because the kernel takes
 * its time for each, but small enough for its limit of 32 KiB. */
#define KNOWN_FUNCTIONS_BITS 11
#define KNOWN_IN_PART_BITS 8
#define KNOWN_PARTS (1 << (KNOWN_FUNCTIONS_BITS - KNOWN_IN_PART_BITS))
struct known_functions {
  struct known_function of[1 << KNOWN_IN_PART_BITS];
};
MAP(known_functions, PERCPU_ARRAY, 0, __u32, struct known_functions, PROGRAMS_AT_ONCE *KNOWN_PARTS);
MAP(java_known, PERCPU_ARRAY, 0, __u32, struct java_known, PROGRAMS_AT_ONCE *JAVA_KNOWN);
/* The words of the functions whose names were sent. Preallocated: see `walk_files`. */
MAP(script_names, HASH, 0, __u64, __u64, 16384);
/* Only if lines are wanted. */
MAP(script_lines, PERCPU_ARRAY, 0, __u32, struct ring_lines, PROGRAMS_AT_ONCE);
MAP(script_counts, PERCPU_ARRAY, 0, __u32, struct script_counts, 1);

static __always_inline const struct script_layout *script_layout_of(__u32 number) {
  return bpf_map_lookup_elem(&script_layouts, &number);
}

static __always_inline long read_thread_base(__u64 *base) {
  if (!layout.task_thread_base) return -EFAULT;
  const char *task = current_task();
  return TAKE_AT(*base, task, task_thread_base);
}

static __always_inline struct known_function *known_function_of(struct walk *walk) {
  __u64 at =
      ((walk->script.function >> 4) ^ *(volatile __u64 *)&walk->mm) * PLACE_FACTOR >> (64 - KNOWN_FUNCTIONS_BITS);
  const __u32 index = walk->slot * KNOWN_PARTS + (__u32)(at >> KNOWN_IN_PART_BITS);
  struct known_functions *part = bpf_map_lookup_elem(&known_functions, &index);
  KEEP_BELOW(at, 1 << KNOWN_IN_PART_BITS);
  return part ? &part->of[at] : NULL;
}

static __always_inline bool recall_function(struct walk *walk) {
  struct script_walk *script = &walk->script;
  const struct known_function *known = known_function_of(walk);
  if (!known || known->function != script->function || known->mm != walk->mm || known->proof[0] != script->proof[0] ||
      known->proof[1] != script->proof[1] || known->proof[2] != script->proof[2] ||
      known->proof[3] != script->proof[3]) {
    return false;
  }
  script->id = known->id;
  return true;
}

static __always_inline void remember_function(struct walk *walk) {
  struct known_function *known = known_function_of(walk);
  if (!known) return;
  known->function = walk->script.function;
  known->mm = walk->mm;
  __builtin_memcpy(known->proof, walk->script.proof, sizeof(known->proof));
  known->id = walk->script.id;
}

static __always_inline struct java_known *java_known_of(const struct walk *walk, __u32 at) {
  const __u32 index = walk->slot * JAVA_KNOWN + at;
  return bpf_map_lookup_elem(&java_known, &index);
}

static __always_inline struct ring_lines *lines_of(const struct walk *walk) {
  const __u32 at = walk->slot;
  return bpf_map_lookup_elem(&script_lines, &at);
}

static __always_inline bool send_table(const struct walk *walk) {
  struct ring_lines *lines = lines_of(walk);
  if (!lines) return false;
  __u64 bytes = walk->script.name.table_bytes;
  KEEP_BELOW(bytes, 2 * SCRIPT_TABLE_BYTES);
  if (bytes > SCRIPT_TABLE_BYTES) bytes = SCRIPT_TABLE_BYTES;
  lines->header.type = RING_LINES;
  lines->frame = walk->script.id;
  return bpf_ringbuf_output(&ring, lines, offsetof(struct ring_lines, table) + bytes, ring_wakeup()) == 0;
}

static __always_inline bool send_name(struct walk *walk) {
  struct script_walk *script = &walk->script;
  const __u64 *hash = bpf_map_lookup_elem(&script_names, &script->id);
  if (hash && *hash == script->name_hash) return true;
  if (hash) {
    script->id = SCRIPT_FRAME;
    return false;
  }
  if (are_lines_wanted() && script->name.table_bytes && !send_table(walk)) return false;
  script->name.header.type = RING_NAME;
  if (bpf_ringbuf_output(&ring, &script->name, sizeof(script->name), ring_wakeup())) return false;
  /* Only now, so that no other CPU sends a stack with this frame before its name. */
  bpf_map_update_elem(&script_names, &script->id, &script->name_hash, BPF_NOEXIST);
  return true;
}

static __always_inline void count_scripts(const struct walk *walk) {
  const __u32 zero = 0;
  const __u32 at = walk->script.met * SCRIPT_REASONS + walk->script.missing;
  if (!are_scripts_wanted() || !walk->script.met || walk->stuck.depth) return;
  struct script_counts *counts = bpf_map_lookup_elem(&script_counts, &zero);
  if (counts && at < SCRIPT_LANGUAGES * SCRIPT_REASONS) __sync_fetch_and_add(&counts->walks[0][0] + at, 1);
}

#endif
