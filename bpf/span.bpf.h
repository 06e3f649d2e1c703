/* Samples that last: a wait, a lock, a request. Their stacks are taken when they begin, they count when they end, and
 * their weight is their length. A source keeps them in a map with the name `spans`, whose values begin with a struct
 * span, so that user space sees which stacks are still in use. When a report is due, user space runs the source's
 * program `flush`, which counts the spans under way so far.
 *
 * The account counts the end: taken, and recorded or filtered. Needs atomics that return a value (Linux 5.12). */
#ifndef PROFILE_SPAN_BPF_H
#define PROFILE_SPAN_BPF_H

#include "record.bpf.h"

/* Begins a span in `span`, an entry of the source's map that no other program uses at the moment. `sample` has begun,
 * and the end of the span must have the same `id`. `in_map`: the stack map has the stacks; otherwise they are sent
 * whole. */
static __always_inline void open_span(void *ctx, struct span *span, __u64 id, struct sample *sample, enum walked walked,
                                      bool in_map) {
  span->start_ns = 0; /* forgets a span that never ended */
  span->key = sample->key;
  span->sent_ns = in_map ? 0 : bpf_ktime_get_ns();
  if (walked == WALKED_LOST ||
      (!in_map && !send_with(ctx, walked, RING_SPAN, id, sample->generation, &sample->key, span->sent_ns, 0))) {
    bump(sample->account, ACCOUNT_TAKEN);
    bump(sample->account, ACCOUNT_LOST_RING_FULL);
    return;
  }
  span->start_ns = bpf_ktime_get_ns();
}

static __always_inline void begin_span(void *ctx, struct span *span, __u64 id, struct sample *sample) {
  const enum walked walked = decide_user_stack(sample->generation, &sample->key, NULL);
  const bool in_map =
      walked != WALKED_LOST && !record_config.each_sample && take_others(ctx, walked, sample->generation, &sample->key);
  open_span(ctx, span, id, sample, walked, in_map);
}

/* Counts a sample as lost, because the map `spans` has no room for it. */
static __always_inline void lose_span(struct sample *sample) {
  bump(sample->account, ACCOUNT_TAKEN);
  bump(sample->account, ACCOUNT_LOST_SPANS_FULL);
}

/* Fills in the record of a span that ends or is cut now. `since_ns`: as for count_span(). */
static __always_inline void fill_end(struct ring_span_end *end, const struct span *span, __u32 generation, __u64 id,
                                     __u64 value, __u32 flags, __u64 since_ns) {
  *end = (struct ring_span_end){
      .header = {.type = RING_SPAN_END, .generation = generation},
      .span = id,
      .began_ns = span->sent_ns ? span->sent_ns : since_ns,
      .time_ns = bpf_ktime_get_ns(),
      .value = value,
      .cpu = bpf_get_smp_processor_id(),
      .flags = flags,
      .key = span->key,
  };
}

/* Counts a span that has ended (SPAN_CLOSED), or the part so far of one that goes on (SPAN_PART). `flags`: enum
 * span_end. A part is no sample, so it is in the account only when it is lost. `since_ns`: when the span, or its part,
 * began: its end may come after an exec, and its stacks are of the program before that. */
static __always_inline void count_span(const struct span *span, __u64 id, __u64 value, __u32 flags, __u64 since_ns) {
  const __u32 generation = current_generation();
  struct cpu_account *account = account_of(generation);
  if (!account) return;
  const __u64 samples = flags & SPAN_PART ? 0 : 1;
  if (samples) bump(account, ACCOUNT_TAKEN);
  if (!span->sent_ns) {
    if (!(flags & SPAN_COUNTS)) {
      if (samples) bump(account, ACCOUNT_FILTERED);
      return;
    }
    if (generation == 0 ? count_in(&histogram_0, 0, &span->key, value, samples, since_ns)
                        : count_in(&histogram_1, 1, &span->key, value, samples, since_ns)) {
      if (samples) bump(account, ACCOUNT_IN_MAP);
      return;
    }
    /* The histogram is full: user space adds the span up by the ids of its stacks. */
    flags |= SPAN_BY_KEY;
  }
  struct ring_span_end end;
  fill_end(&end, span, generation, id, value, flags, since_ns);
  const bool sent = bpf_ringbuf_output(&ring, &end, sizeof(end), ring_wakeup()) == 0;
  if (!sent) {
    if (!samples) bump(account, ACCOUNT_TAKEN);
    bump(account, ACCOUNT_LOST_RING_FULL);
  } else if (samples) {
    bump(account, flags & SPAN_COUNTS ? ACCOUNT_IN_RING : ACCOUNT_FILTERED);
  }
}

/* Until when a span that began at `start_ns` counts: now, or when the run was paused. Detaching all programs of a
 * source takes some time, and other programs of it still run meanwhile. */
static __always_inline __u64 end_of_span(__u64 start_ns) {
  const __u64 paused_ns = *(volatile __u64 *)&record_state.paused_ns;
  const __u64 end_ns = paused_ns ? paused_ns : bpf_ktime_get_ns();
  return end_ns > start_ns ? end_ns : start_ns;
}

/* Ends a span atomically, so that no other program ends it too. Returns its start_ns, or 0 when it is not under way. */
static __always_inline __u64 close_span(struct span *span) {
  if (!span->start_ns) return 0;
  return __sync_lock_test_and_set(&span->start_ns, 0);
}

#endif
