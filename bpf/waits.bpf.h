/* The entry of a thread, from its first wait to its end, and the sums of its waits. off_cpu.bpf.c includes this file
 * after its maps. */
#ifndef PROFILE_WAITS_BPF_H
#define PROFILE_WAITS_BPF_H

/* The programs see more than the run: they are attached before the threads that are blocked are read, and to detach
 * them takes a while. Returns `ns`, but at least the beginning of the run, and at most its end. */
static __always_inline __u64 within_run(__u64 ns) {
  const __u64 started_ns = *(volatile __u64 *)&state.started_ns;
  const __u64 ended_ns = *(volatile __u64 *)&record_state.paused_ns;
  if (ns < started_ns) return started_ns;
  return ended_ns && ns > ended_ns ? ended_ns : ns;
}

/* Whether what ends at `ns` ends after the run has begun. */
static __always_inline bool is_in_run(__u64 ns) {
  const __u64 started_ns = *(volatile __u64 *)&state.started_ns;
  return started_ns && ns > started_ns;
}

static __always_inline __u64 time_between(__u64 begin_ns, __u64 end_ns) {
  return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static __always_inline struct thread_waits *add_thread(__u32 id, const struct sample *sample) {
  const __u32 zero = 0;
  const struct thread_waits *fresh = bpf_map_lookup_elem(&no_waits, &zero);
  if (!fresh) return NULL;
  bpf_map_update_elem(&spans, &id, fresh, BPF_NOEXIST);
  struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
  if (!thread) return NULL;
  thread->tgid = sample->key.tgid;
  thread->tid = sample->tid;
  thread->id = id;
  return thread;
}

/* Whether the sums are of the report under way, or of the one before, which user space may not have read yet. */
static __always_inline bool are_wanted(__u64 total_ns, __u64 of_report, __u64 report) {
  return total_ns && of_report + 1 >= report;
}
static __always_inline bool has_wanted_sums(const struct thread_waits *thread, __u64 report) {
  return are_wanted(thread->sums[0].total_ns, thread->sums[0].report_number, report) ||
         are_wanted(thread->sums[1].total_ns, thread->sums[1].report_number, report) ||
         are_wanted(thread->cuts[0].total_ns, thread->cuts[0].report_number, report) ||
         are_wanted(thread->cuts[1].total_ns, thread->cuts[1].report_number, report);
}

/* Keeps the time of a thread that has ended for a later tick. `is_last`: it is the first thread of its process. */
__noinline int keep_ended_time(__u32 tgid, __u64 ns, __u32 is_last) {
  struct ended_key key = {.tgid = tgid};
  if (is_last) {
    const __u64 *rest = bpf_map_lookup_elem(&ended_times, &key);
    if (rest) {
      ns += *rest;
      bpf_map_delete_elem(&ended_times, &key);
    }
    key.tgid = 0;
    bpf_get_current_comm(key.name, sizeof(key.name));
  }
  if (!ns) return 0;
  __u64 *sum = bpf_map_lookup_elem(&ended_times, &key);
  if (!sum) {
    const __u64 zero = 0;
    bpf_map_update_elem(&ended_times, &key, &zero, BPF_NOEXIST);
    sum = bpf_map_lookup_elem(&ended_times, &key);
  }
  if (sum) {
    __sync_fetch_and_add(sum, ns);
  } else {
    __sync_fetch_and_add(&state.uncounted_ns, ns);
  }
  return 0;
}

/* The same for the current thread, which has never waited. */
__noinline int keep_time_of_unlisted(__u64 ns) {
  const __u64 ids = current_ids();
  const __u32 tgid = ids >> 32, tid = (__u32)ids;
  return is_wanted(tgid, tid) ? keep_ended_time(tgid, ns, tgid == tid) : 0;
}

static __always_inline __u64 take_ended_time(const struct ended_key *key) {
  __u64 *sum = bpf_map_lookup_elem(&ended_times, key);
  const __u64 ns = sum ? *(volatile __u64 *)sum : 0;
  return ns && __sync_val_compare_and_swap(sum, ns, 0) == ns ? ns : 0;
}

/* Takes what a tick in a thread with this key counts of threads that have ended. */
__noinline __u64 take_ended_times(const struct stack_key *sample) {
  if (!sample) return 0;
  struct ended_key key = {.tgid = sample->tgid};
  const __u64 ns = take_ended_time(&key);
  key.tgid = 0;
  __builtin_memcpy(key.name, sample->comm, sizeof(key.name));
  return ns + take_ended_time(&key);
}

/* Ends the entry of a thread that has exited or changed its id. Sums that user space still needs stay in the map, under
 * a number of their own. */
static __always_inline void end_thread(struct thread_waits *thread, __u32 id) {
  const __u64 report = state.report_number;
  if (config.wall) keep_ended_time(thread->tgid, thread->uncounted_ns, thread->tid == thread->tgid);
  if (has_wanted_sums(thread, report)) {
    const __u32 key = PROFILE_EXITED_THREAD | (__u32)__sync_fetch_and_add(&state.exits, 1);
    thread->exit_report_number = report;
    if (bpf_map_update_elem(&spans, &key, thread, BPF_NOEXIST) == 0) {
      __sync_fetch_and_add(&state.exited_threads, 1);
    } else {
      __sync_fetch_and_add(&state.unlisted, 1);
    }
  }
  bpf_map_delete_elem(&spans, &id);
}

/* Returns the time on this CPU that has not been counted, and marks it as counted. */
static __always_inline __u64 take_time_on_cpu(__u64 now_ns) {
  const __u32 zero = 0;
  __u64 *since = bpf_map_lookup_elem(&on_cpu_since, &zero);
  if (!since) return 0;
  const __u64 begin_ns = within_run(*since);
  *since = now_ns;
  return is_in_run(now_ns) ? time_between(begin_ns, within_run(now_ns)) : 0;
}

static __always_inline __u32 wait_state_of(bool preempted, __u64 task_state) {
  if (preempted || task_state == 0) return WAIT_PREEMPTED;
  if (task_state & TASK_INTERRUPTIBLE) return WAIT_INTERRUPTIBLE;
  if (task_state & TASK_UNINTERRUPTIBLE) return WAIT_UNINTERRUPTIBLE;
  return WAIT_OTHER;
}

static __always_inline bool counts(__u64 waited_ns) { return waited_ns >= config.min_ns && waited_ns <= config.max_ns; }

/* Adds the last `part_ns` of a wait of `waited_ns` to the thread's own sums. */
static __always_inline void add_wait(struct thread_waits *thread, __u64 part_ns, __u64 waited_ns) {
  if (record_config.no_tables) return;
  const __u64 report = state.report_number;
  struct wait_sums *sums = &thread->sums[report & 1];
  if (sums->report_number != report) {
    sums->report_number = report;
    sums->total_ns = 0;
    sums->waits = 0;
    sums->min_ns = ~0ULL;
    sums->max_ns = 0;
  }
  sums->total_ns += part_ns;
  if (waited_ns < sums->min_ns) sums->min_ns = waited_ns;
  if (waited_ns > sums->max_ns) sums->max_ns = waited_ns;
  sums->waits++;
}

/* The same for a part of a wait that goes on. */
static __always_inline void add_cut(struct thread_waits *thread, __u64 part_ns) {
  if (record_config.no_tables) return;
  const __u64 report = state.report_number;
  struct cut_sums *cuts = &thread->cuts[report & 1];
  if (cuts->report_number != report) {
    cuts->report_number = report;
    cuts->total_ns = 0;
  }
  cuts->total_ns += part_ns;
}

/* The thread's wait ends because its process does: it would have gone on. */
static __always_inline void note_killed(struct thread_waits *thread) {
  const __u64 report = state.report_number;
  const struct wait_sums *sums = &thread->sums[report & 1];
  if (!config.ended && (sums->report_number != report || sums->waits == 0)) thread->flags |= THREAD_NEVER_WOKE;
  thread->flags |= THREAD_KILLED;
}

/* Whether a wait that ends now is left out because only those count that end by themselves. */
static __always_inline bool is_left_out(const struct thread_waits *thread, __u64 part_ns) {
  if (!config.ended || (thread->flags & (THREAD_KILLED | THREAD_ENDING)) != THREAD_KILLED) return false;
  __sync_fetch_and_add(&state.killed_waits, 1);
  __sync_fetch_and_add(&state.killed_ns, part_ns);
  return true;
}

/* Ends the thread's wait, at `end_ns`. Global, so that the verifier checks it once and not for each path to it. For the
 * same reason it copies the span that it counts. */
__noinline int end_wait(struct thread_waits *thread, __u32 id, __u64 end_ns) {
  if (!thread) return 0;
  const __u64 start_ns = close_span(&thread->span);
  if (!start_ns) return 0;
  const __u64 until_ns = within_run(end_ns);
  const __u64 part_ns = time_between(within_run(start_ns), until_ns);
  const __u64 waited_ns = time_between(within_run(thread->began_ns), until_ns);
  const bool is_counted = is_in_run(end_ns) && counts(waited_ns) && !is_left_out(thread, part_ns);
  if (is_counted) add_wait(thread, part_ns, waited_ns);
  const struct span ended = thread->span;
  count_span(&ended, id, part_ns, SPAN_CLOSED | (is_counted ? SPAN_COUNTS : 0), start_ns);
  return 0;
}

/* Some kernels do not report every switch: 6.18 in a virtual machine left out 6 of 1000, for perf too. The thread's run
 * time, `ran_ns` in all, shows what was missed, so none of its time is lost. */

/* The thread leaves a CPU, but it was not seen to come. It came as long ago as it has run since it last left. */
static __always_inline void end_unseen_wait(struct thread_waits *thread, __u32 id, __u64 now_ns, __u64 ran_ns) {
  const __u64 since_ns = ran_ns > thread->ran_ns ? ran_ns - thread->ran_ns : 0;
  end_wait(thread, id, now_ns - since_ns);
}

/* The thread comes onto a CPU, but it was not seen to leave one. So the stack of this wait is not known. */
__noinline int count_unseen_wait(struct thread_waits *thread, __u32 id, __u64 now_ns, __u64 ran_ns) {
  if (!thread || ran_ns < thread->ran_ns) return 0; /* less than before: another thread with this id */
  if (!is_in_run(now_ns)) return 0;
  const __u64 since_ns = time_between(within_run(thread->seen_ns), within_run(now_ns));
  const __u64 ran_since_ns = ran_ns - thread->ran_ns;
  if (since_ns <= ran_since_ns) return 0;
  const __u64 waited_ns = since_ns - ran_since_ns;
  struct span unseen = {.key = thread->span.key};
  unseen.key.user_stack = -ENODATA;
  unseen.key.kernel_stack = -ENODATA;
  unseen.key.caller = 0;
  const bool is_counted = counts(waited_ns);
  if (is_counted) add_wait(thread, waited_ns, waited_ns);
  count_span(&unseen, id, waited_ns, SPAN_CLOSED | (is_counted ? SPAN_COUNTS : 0), now_ns);
  return 0;
}

#endif
