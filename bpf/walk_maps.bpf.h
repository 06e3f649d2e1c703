/* The BPF programs as the host of a walk (walk_host.bpf.h): its maps, which user space knows by their names, and the
 * memory of the task. mapping.bpf.h, registers.bpf.h and return_probes.bpf.h find the rest in the kernel's structures;
 * known_codes.bpf.h, known_spaces.bpf.h and stack_window.bpf.h remember. */
#ifndef PROFILE_WALK_MAPS_BPF_H
#define PROFILE_WALK_MAPS_BPF_H

#include "map.bpf.h"
#include "run.bpf.h"
#include "walk_host.bpf.h"

SEC(".data.walk") struct walk_state walk_state = {};

MAP(walks, PERCPU_ARRAY, 0, __u32, struct walk, PROGRAMS_AT_ONCE);
/* SPACES for each of `walks`. A map of its own, because the kernel limits a value of a CPU to 32 KiB. */
MAP(spaces, PERCPU_ARRAY, 0, __u32, struct walk_space, PROGRAMS_AT_ONCE *SPACES);

struct slab {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, WALK_SLAB_BYTES);
};
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, WALK_MOST_SLABS);
  __uint(key_size, sizeof(__u32));
  __array(values, struct slab);
} slabs SEC(".maps");

/* Preallocated, as are `sent_0` and `sent_1`: before 6.1 a program on a perf event may have no other kind of hash. */
MAP(walk_files, HASH, 0, struct walk_file_key, struct walk_file, 16384);
MAP(walk_copies, HASH, 0, struct walk_copy_key, struct walk_copy, WALK_MOST_COPIES);

/* NULL: walks are off. Then the maps do not exist, and the verifier sees that the code behind this never runs. */
static __always_inline struct walk *walk_of(__u32 slot) {
  if (walk_config.mode == WALK_OFF) return NULL;
  return bpf_map_lookup_elem(&walks, &slot);
}

static __always_inline const char *slab_of(__u32 at) {
  const __u32 number = at >> WALK_SLAB_SHIFT, zero = 0;
  void *one = bpf_map_lookup_elem(&slabs, &number);
  return one ? bpf_map_lookup_elem(one, &zero) : NULL;
}

static __always_inline struct walk_space *space_of(const struct walk *walk) {
  const __u32 at = walk->space;
  return bpf_map_lookup_elem(&spaces, &at);
}

static __always_inline long read_user(void *to, __u32 bytes, __u64 from) {
  return bpf_probe_read_user(to, bytes, (void *)from);
}

static __always_inline long read_user_text(char *to, __u32 most, __u64 from) {
  return bpf_probe_read_user_str(to, most, (void *)from);
}

#endif
