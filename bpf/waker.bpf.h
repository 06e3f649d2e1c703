/* With --waker: who ends a wait. The waker's stacks stay in the entry of the woken thread until that is back on a CPU.
 * Then they count together with the stacks of the wait, in separate histograms. A part of off_cpu.bpf.c. */
#ifndef PROFILE_WAKER_BPF_H
#define PROFILE_WAKER_BPF_H

MAP(woken_0, HASH, 0, struct woken_key, struct stack_value, SET_BY_USER_SPACE);
MAP(woken_1, HASH, 0, struct woken_key, struct stack_value, SET_BY_USER_SPACE);

/* The buffer for an end, which is too large for the BPF stack. One for each CPU is enough, because switches do not
 * interrupt each other. */
struct woken_wait {
  struct woken_key key;
  struct ring_woken_end end;
};
MAP(woken_scratch, PERCPU_ARRAY, 0, __u32, struct woken_wait, 1);

/* As count_span(), for a wait that another thread has ended. */
static __always_inline void count_woken(struct woken_wait *wait, const struct woken_thread *thread, __u32 id,
                                        __u64 value, bool is_counted) {
  const __u32 generation = current_generation();
  struct cpu_account *account = account_of(generation);
  if (!account) return;
  bump(account, ACCOUNT_TAKEN);
  const __u64 now_ns = bpf_ktime_get_ns(); /* the waker ran then, and a thread that waits runs no other program */
  __u32 flags = SPAN_CLOSED | (is_counted ? SPAN_COUNTS : 0);
  if (!thread->waits.span.sent_ns) {
    if (!is_counted) {
      bump(account, ACCOUNT_FILTERED);
      return;
    }
    wait->key.wait = thread->waits.span.key;
    wait->key.waker = thread->waker;
    const bool in_map = generation == 0 ? count_in(&woken_0, 0, &wait->key.wait, value, 1, now_ns)
                                        : count_in(&woken_1, 1, &wait->key.wait, value, 1, now_ns);
    if (in_map) {
      bump(account, ACCOUNT_IN_MAP);
      return;
    }
    flags |= SPAN_BY_KEY;
  }
  fill_end(&wait->end.end, &thread->waits.span, generation, id, value, flags, now_ns);
  wait->end.waker = thread->waker;
  if (bpf_ringbuf_output(&ring, &wait->end, sizeof(wait->end), ring_wakeup())) {
    bump(account, ACCOUNT_LOST_RING_FULL);
  } else {
    bump(account, is_counted ? ACCOUNT_IN_RING : ACCOUNT_FILTERED);
  }
}

/* As end_wait(), with the waker. It does not call end_wait(), because three functions would need too much BPF stack. */
__noinline int end_woken_wait(struct woken_thread *thread, __u32 id, __u64 end_ns) {
  if (!config.waker || !thread) return 0;
  const __u32 zero = 0;
  struct woken_wait *wait = bpf_map_lookup_elem(&woken_scratch, &zero);
  if (!wait) return 0;
  const __u64 start_ns = close_span(&thread->waits.span);
  if (!start_ns) return 0;
  const __u64 until_ns = within_run(end_ns);
  const __u64 part_ns = time_between(within_run(start_ns), until_ns);
  const __u64 waited_ns = time_between(within_run(thread->waits.began_ns), until_ns);
  const bool is_counted = is_in_run(end_ns) && counts(waited_ns) && !is_left_out(&thread->waits, part_ns);
  if (is_counted) add_wait(&thread->waits, part_ns, waited_ns);
  count_woken(wait, thread, id, part_ns, is_counted);
  thread->is_woken = 0;
  return 0;
}

/* Runs in the waker, or in an interrupt. A thread without an entry costs one lookup. The wait may have no beginning
 * yet, because a thread can be woken before the event of its switch. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *woken) {
  if (!config.waker || is_paused()) return 0;
  const __u32 id = woken->pid;
  struct woken_thread *thread = bpf_map_lookup_elem(&spans, &id);
  if (!thread) return 0;
  __u64 ids = bpf_get_current_pid_tgid();
  if (record_config.pid_namespace) ids = current_ids_in(record_config.pid_namespace);
  struct stack_key *waker = &thread->waker;
  __builtin_memset(waker, 0, sizeof(*waker));
  waker->tgid = ids >> 32;
  bpf_get_current_comm(waker->comm, sizeof(waker->comm));
  const __u32 generation = current_generation();
  const enum walked walked = decide_user_stack(generation, waker, NULL);
  if (!take_others(ctx, walked, generation, waker)) waker->kernel_stack = -EEXIST; /* missed: there are stacks */
  thread->is_woken = 1;
  return 0;
}

#endif
