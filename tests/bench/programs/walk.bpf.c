/* The minimum cost of a sample: only the two stack walks that the kernel has, and an empty program, which costs the
 * kernel's own way to a program and its clock. */
#include <linux/bpf.h>
/* bpf_helpers.h needs the types from bpf.h. */
#include <bpf/bpf_helpers.h>

#define MAX_DEPTH 127 /* the default of the kernel and of the other tools */

struct {
  __uint(type, BPF_MAP_TYPE_STACK_TRACE);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, MAX_DEPTH * sizeof(__u64));
  __uint(max_entries, 16384);
} stacks SEC(".maps");

struct two_stacks {
  __u64 user[MAX_DEPTH];
  __u64 kernel[MAX_DEPTH];
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __type(key, __u32);
  __type(value, struct two_stacks);
  __uint(max_entries, 1);
} scratch SEC(".maps");

SEC("perf_event")
int walk_stackid(void* ctx) {
  bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
  bpf_get_stackid(ctx, &stacks, 0);
  return 0;
}

SEC("perf_event")
int walk_stack(void* ctx) {
  const __u32 zero = 0;
  struct two_stacks* both = bpf_map_lookup_elem(&scratch, &zero);
  if (!both) return 0;
  bpf_get_stack(ctx, both->user, sizeof(both->user), BPF_F_USER_STACK);
  bpf_get_stack(ctx, both->kernel, sizeof(both->kernel), 0);
  return 0;
}

SEC("perf_event")
int walk_nothing(void* ctx) {
  (void)ctx;
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
