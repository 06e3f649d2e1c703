/* Where a whole sample is put together, which is too large for the BPF stack. A part of record.bpf.h. */
#ifndef PROFILE_SCRATCH_BPF_H
#define PROFILE_SCRATCH_BPF_H

/* Programs on user probes define PROFILE_PREEMPTIBLE: one task's may be interrupted by another task's on the same CPU
 * (since 5.18 or so), so they take turns at several. */
#ifdef PROFILE_PREEMPTIBLE
#define SCRATCH_BUFFERS 4
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __type(key, __u32);
  __type(value, __u64);
  __uint(max_entries, SCRATCH_BUFFERS);
} scratch_busy SEC(".maps");
#else
#define SCRATCH_BUFFERS 1
#endif
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct ring_sample)); /* set by user space: two stacks more */
  __uint(max_entries, SCRATCH_BUFFERS);
} scratch SEC(".maps");

#ifdef PROFILE_PREEMPTIBLE
/* Each index is a constant where this is inlined: kernels before 6.18 take a loop over them for endless. Who counts
 * himself as the only one has the buffer; the atomic exchange that would say so at once needs 5.12. */
static __always_inline struct ring_sample *try_scratch(__u32 index, __u64 **busy) {
  *busy = bpf_map_lookup_elem(&scratch_busy, &index);
  if (!*busy) return NULL;
  __sync_fetch_and_add(*busy, 1);
  if (*(volatile __u64 *)*busy == 1) return bpf_map_lookup_elem(&scratch, &index);
  __sync_fetch_and_add(*busy, -1);
  return NULL;
}
#endif

/* A buffer of this CPU's that nobody else is using, or NULL; `busy` is for give_scratch(). */
static __always_inline struct ring_sample *take_scratch(__u64 **busy) {
#ifdef PROFILE_PREEMPTIBLE
  struct ring_sample *free = try_scratch(0, busy);
  if (!free) free = try_scratch(1, busy);
  if (!free) free = try_scratch(2, busy);
  return free ? free : try_scratch(3, busy);
#else
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&scratch, &zero);
#endif
}

static __always_inline void give_scratch(__u64 *busy) {
#ifdef PROFILE_PREEMPTIBLE
  if (busy) __sync_fetch_and_add(busy, -1);
#endif
}

#endif
