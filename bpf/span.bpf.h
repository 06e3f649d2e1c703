/* Samples that last: a wait, a lock, a request. Their stacks are taken where they begin, and they are counted where
 * they end; their weight is their length. A source keeps them in a map of its own by the name of `spans`, whose values
 * begin with a struct span, so that user space can see which stacks are still in use; and it ends those under way by
 * its program `flush`, which user space runs when a report is due.
 *
 * What goes into the account is the end: taken, and recorded or filtered. Needs fetching atomics (5.12). */
#ifndef PROFILE_SPAN_BPF_H
#define PROFILE_SPAN_BPF_H

#include "record.bpf.h"

/* Begins a span in `span`, whose place is in the source's map and nobody else's at the moment: `sample` has begun, and
 * `id` is what the same span is ended by. `in_map`: its stacks have been taken; otherwise they are sent whole. */
static __always_inline void open_span(void *ctx, struct span *span, __u64 id, struct sample *sample, enum walked walked,
                                      bool in_map) {
  span->start_ns = 0; /* one that was never ended is forgotten */
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
  const enum walked walked = decide_user_stack(sample->generation, &sample->key, true);
  const bool in_map =
      walked != WALKED_LOST && !record_config.stream && take_others(ctx, walked, sample->generation, &sample->key);
  open_span(ctx, span, id, sample, walked, in_map);
}

/* The place for a span could not be had: what would have been sampled is lost. */
static __always_inline void lose_span(struct sample *sample) {
  bump(sample->account, ACCOUNT_TAKEN);
  bump(sample->account, ACCOUNT_LOST_SPANS_FULL);
}

/* What user space is told of a span that has ended or is cut here. */
static __always_inline void fill_end(struct ring_span_end *end, const struct span *span, __u32 generation, __u64 id,
                                     __u64 value, __u32 flags) {
  *end = (struct ring_span_end){
      .header = {.type = RING_SPAN_END, .generation = generation},
      .span = id,
      .began_ns = span->sent_ns,
      .time_ns = bpf_ktime_get_ns(),
      .value = value,
      .cpu = bpf_get_smp_processor_id(),
      .flags = flags,
      .key = span->key,
  };
}

/* Counts a span that has ended (SPAN_CLOSED) or is cut here and goes on. `flags` of enum span_end. */
static __always_inline void count_span(const struct span *span, __u64 id, __u64 value, __u32 flags) {
  const __u32 generation = current_generation();
  struct cpu_account *account = account_of(generation);
  if (!account) return;
  bump(account, ACCOUNT_TAKEN);
  if (!span->sent_ns) {
    if (!(flags & SPAN_COUNTS)) {
      bump(account, ACCOUNT_FILTERED);
      return;
    }
    if (count(generation, &span->key, value)) {
      bump(account, ACCOUNT_IN_MAP);
      return;
    }
    /* The histogram is full: user space has the stacks' ids and adds it up itself. */
    flags |= SPAN_BY_KEY;
  }
  struct ring_span_end end;
  fill_end(&end, span, generation, id, value, flags);
  const bool sent = bpf_ringbuf_output(&ring, &end, sizeof(end), ring_wakeup()) == 0;
  if (!sent) {
    bump(account, ACCOUNT_LOST_RING_FULL);
  } else {
    bump(account, flags & SPAN_COUNTS ? ACCOUNT_IN_RING : ACCOUNT_FILTERED);
  }
}

/* Takes a span that is under way for its end, so that nobody else ends it, too. Returns when it began, or 0. */
static __always_inline __u64 close_span(struct span *span) {
  if (!span->start_ns) return 0;
  return __sync_lock_test_and_set(&span->start_ns, 0);
}

#endif
