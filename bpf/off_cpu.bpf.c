/* The sources `off-cpu` and `wall`: how long threads are not on a CPU, by the stack with which they left it. A thread's
 * entry stays for its life, so that a switch costs two lookups and no insertion. For `wall`, ticks of a perf event
 * count the time on the CPU besides: exactly, for what a tick is worth is the thread's time since the tick before.
 *
 * Built twice: with PROFILE_LEAN for kernels that tell nothing of their types. There the switch is seen as an event of
 * tracefs, whose layout has been the same since long before 5.8, and nobody can be asked who is blocked already. */
#include "abi/off_cpu.h"
#include "record.bpf.h"
/* The rest want the above. */
#ifndef PROFILE_LEAN
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "caller.bpf.h"
#include "follow.bpf.h"
#endif
#include "span.bpf.h"
#ifndef PROFILE_LEAN
#include "stack_cache.bpf.h"
#endif

#define TASK_INTERRUPTIBLE 0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_DEAD 0x80
#define PF_KTHREAD 0x00200000

SEC(".rodata.off_cpu") const volatile struct off_cpu_config config = {};
SEC(".data.off_cpu") struct off_cpu_state state = {};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __type(key, __u32);
  __type(value, struct thread_waits);
  __uint(max_entries, 65536); /* set by user space */
} spans SEC(".maps");

/* wall: since when the time of the thread on this CPU has not been counted. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __type(key, __u32);
  __type(value, __u64);
  __uint(max_entries, 1);
} on_cpu_since SEC(".maps");

/* Where a record of the task iterator is put together; user space sizes it for one stack. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct blocked_task)); /* set */
  __uint(max_entries, 1);
} scan_buffer SEC(".maps");

static __always_inline struct thread_waits *add_thread(__u32 id, const struct sample *sample) {
  const struct thread_waits fresh = {.tgid = sample->key.tgid, .tid = sample->tid, .id = id};
  bpf_map_update_elem(&spans, &id, &fresh, BPF_NOEXIST);
  return bpf_map_lookup_elem(&spans, &id);
}

/* Whether these are sums of the report under way, or of the one before, which may not have been read yet. */
static __always_inline bool are_wanted(const struct wait_sums *sums, __u64 epoch) {
  return sums->total_ns && sums->epoch + 1 >= epoch;
}

/* No thread by this id will come any more but another one. */
static __always_inline void end_thread(struct thread_waits *thread, __u32 id) {
  const __u64 epoch = state.epoch;
  if (config.wall) __sync_fetch_and_add(&state.uncounted_ns, thread->uncounted_ns);
  if (are_wanted(&thread->sums[0], epoch) || are_wanted(&thread->sums[1], epoch)) {
    const __u32 key = PROFILE_EXITED_THREAD | (__u32)__sync_fetch_and_add(&state.exits, 1);
    thread->exit_epoch = epoch;
    if (bpf_map_update_elem(&spans, &key, thread, BPF_NOEXIST) == 0) {
      __sync_fetch_and_add(&state.exited_threads, 1);
    } else {
      __sync_fetch_and_add(&state.unlisted, 1);
    }
  }
  bpf_map_delete_elem(&spans, &id);
}

/* Takes the time on this CPU that has not been counted. */
static __always_inline __u64 take_time_on_cpu(__u64 now_ns) {
  const __u32 zero = 0;
  __u64 *since = bpf_map_lookup_elem(&on_cpu_since, &zero);
  if (!since) return 0;
  const __u64 begin_ns = *since ? *since : state.started_ns;
  *since = now_ns;
  return now_ns > begin_ns ? now_ns - begin_ns : 0;
}

static __always_inline __u32 wait_state_of(bool preempted, __u64 task_state) {
  if (preempted || task_state == 0) return WAIT_PREEMPTED;
  if (task_state & TASK_INTERRUPTIBLE) return WAIT_INTERRUPTIBLE;
  if (task_state & TASK_UNINTERRUPTIBLE) return WAIT_UNINTERRUPTIBLE;
  return WAIT_OTHER;
}

static __always_inline bool counts(__u64 waited_ns) { return waited_ns >= config.min_ns && waited_ns <= config.max_ns; }

/* Adds to the thread's own sums: `part_ns` of a wait that has lasted `waited_ns` in all. A stream shows none. */
static __always_inline void add_wait(struct thread_waits *thread, __u64 part_ns, __u64 waited_ns, bool is_over) {
  if (record_config.stream) return;
  const __u64 epoch = state.epoch;
  struct wait_sums *sums = &thread->sums[epoch & 1];
  if (sums->epoch != epoch) {
    sums->epoch = epoch;
    sums->total_ns = 0;
    sums->waits = 0;
    sums->min_ns = ~0ULL;
    sums->max_ns = 0;
  }
  sums->total_ns += part_ns;
  if (!is_over) return;
  if (waited_ns < sums->min_ns) sums->min_ns = waited_ns;
  if (waited_ns > sums->max_ns) sums->max_ns = waited_ns;
  sums->waits++;
}

/* The thread's wait is over, and was at `end_ns`. Not static, so that the verifier looks at it once and not for each
 * way to it; which is why it copies what it counts, too. */
__noinline int end_wait(struct thread_waits *thread, __u32 id, __u64 end_ns) {
  if (!thread) return 0;
  const __u64 start_ns = close_span(&thread->span);
  if (!start_ns) return 0;
  const __u64 part_ns = end_ns > start_ns ? end_ns - start_ns : 0;
  const __u64 waited_ns = end_ns > thread->began_ns ? end_ns - thread->began_ns : 0;
  const bool is_worth = counts(waited_ns);
  if (is_worth) add_wait(thread, part_ns, waited_ns, true);
  const struct span ended = thread->span;
  count_span(&ended, id, part_ns, SPAN_CLOSED | (is_worth ? SPAN_COUNTS : 0));
  return 0;
}

/* Some kernels do not tell of every switch (of 1000, six were missing on 6.18 in a virtual machine, for perf and all
 * others, too). What was missed shows by the thread's run time, `ran_ns` in all, and none of its time is lost: */

/* The thread goes, but was not seen to come: it did so as long ago as it has run since it went. */
static __always_inline void end_unseen_wait(struct thread_waits *thread, __u32 id, __u64 now_ns, __u64 ran_ns) {
  const __u64 since_ns = ran_ns > thread->ran_ns ? ran_ns - thread->ran_ns : 0;
  end_wait(thread, id, now_ns - since_ns);
}

/* The thread comes, but was not seen to go: where it went is not known. */
__noinline int count_unseen_wait(struct thread_waits *thread, __u32 id, __u64 now_ns, __u64 ran_ns) {
  if (!thread || ran_ns < thread->ran_ns) return 0; /* less than it had: another one by that id */
  const __u64 since_ns = now_ns - thread->seen_ns;
  const __u64 ran_since_ns = ran_ns - thread->ran_ns;
  if (since_ns <= ran_since_ns) return 0;
  const __u64 waited_ns = since_ns - ran_since_ns;
  struct span unseen = {.key = thread->span.key};
  unseen.key.user_stack = -ENODATA;
  unseen.key.kernel_stack = -ENODATA;
  unseen.key.caller = 0;
  const bool is_worth = counts(waited_ns);
  if (is_worth) add_wait(thread, waited_ns, waited_ns, true);
  count_span(&unseen, id, waited_ns, SPAN_CLOSED | (is_worth ? SPAN_COUNTS : 0));
  return 0;
}

/* The current task leaves this CPU. */
struct leaving {
  __u32 id;
  bool preempted;
  bool is_kernel_thread;
  __u64 task_state;
  const struct pt_regs *regs; /* with which it entered the kernel; NULL where they are not to be had */
  __u64 caller;               /* as in struct stack_key */
  __u64 ran_ns;               /* its run time; 0 where it is not to be had */
};

static __always_inline void leave_cpu(void *ctx, const struct leaving *task) {
  const __u64 now_ns = bpf_ktime_get_ns();
  const __u64 on_cpu_ns = config.wall ? take_time_on_cpu(now_ns) : 0;
  const __u32 id = task->id;
  if (id == 0) return; /* the idle task waits for nothing */
  struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
  if (thread) {
    if (thread->span.start_ns) end_unseen_wait(thread, id, now_ns, task->ran_ns);
    thread->away = 1;
    thread->uncounted_ns += on_cpu_ns;
  }
  if (task->task_state & TASK_DEAD) {
    if (thread) end_thread(thread, id);
    return;
  }
  struct sample sample;
  if (!begin_sample(&sample)) return;
  if (!(wait_state_of(task->preempted, task->task_state) & config.states)) {
    bump(sample.account, ACCOUNT_TAKEN);
    bump(sample.account, ACCOUNT_FILTERED);
    return;
  }
  if (!thread) {
    thread = add_thread(id, &sample);
    if (!thread) {
      lose_span(&sample);
      return;
    }
    thread->away = 1;
    thread->uncounted_ns += on_cpu_ns;
    thread->is_kernel_thread = task->is_kernel_thread;
  }
  __builtin_memcpy(thread->name, sample.key.comm, sizeof(thread->name));
  if (config.wall) sample.key.tag = PROFILE_TAG_OFF_CPU;
  sample.key.caller = task->caller;
#ifdef PROFILE_LEAN
  begin_span(ctx, &thread->span, id, &sample);
#else
  const bool in_map = !record_config.stream && take_known_stacks(ctx, task->regs, task->is_kernel_thread, &sample);
  open_span(ctx, &thread->span, id, &sample, in_map);
#endif
  thread->began_ns = thread->span.start_ns;
  thread->seen_ns = thread->span.start_ns;
  thread->ran_ns = task->ran_ns;
}

/* The thread `id` comes onto this CPU. */
static __always_inline void enter_cpu(__u32 id, __u64 ran_ns) {
  struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
  if (!thread) return;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (thread->span.start_ns) {
    end_wait(thread, id, now_ns);
  } else if (!thread->away && thread->seen_ns && ran_ns) {
    count_unseen_wait(thread, id, now_ns, ran_ns);
  }
  thread->away = 0;
  thread->seen_ns = now_ns;
  thread->ran_ns = ran_ns;
}

/* A thread runs another program. One that is not the first of its process goes on as the first, under the first one's
 * id, and the first is gone. */
static __always_inline void change_id(__u32 old_id, __u32 id, __u64 ran_ns) {
  if (old_id == id) return;
  struct thread_waits *thread = bpf_map_lookup_elem(&spans, &old_id);
  if (!thread) return;
  if (thread->span.start_ns) end_unseen_wait(thread, old_id, bpf_ktime_get_ns(), ran_ns);
  end_thread(thread, old_id);
}

#ifdef PROFILE_LEAN

/* events/sched/sched_switch/format */
struct sched_switch_event {
  __u64 common;
  char prev_comm[PROFILE_COMM_BYTES];
  __s32 prev_pid;
  __s32 prev_prio;
  __s64 prev_state;
  char next_comm[PROFILE_COMM_BYTES];
  __s32 next_pid;
  __s32 next_prio;
};

/* As the event spells a task's state: include/trace/events/sched.h, and TASK_REPORT in include/linux/sched.h. */
#define REPORTED_DEAD 0x30
#define REPORTED_IDLE 0x80 /* uninterruptible, and no load */
#define REPORTED_PREEMPTED 0x100

SEC("tracepoint")
int on_switch(struct sched_switch_event *event) {
  const __u64 reported = event->prev_state;
  __u64 task_state = reported & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE | 0x4c);
  if (reported & REPORTED_DEAD) task_state = TASK_DEAD;
  if (reported & REPORTED_IDLE) task_state = TASK_UNINTERRUPTIBLE;
  const struct leaving leaving = {
      .id = event->prev_pid, .preempted = (reported & REPORTED_PREEMPTED) != 0, .task_state = task_state};
  leave_cpu(event, &leaving);
  if (event->next_pid != 0) enter_cpu(event->next_pid, 0);
  return 0;
}

/* events/sched/sched_process_exec/format */
struct sched_process_exec_event {
  __u64 common;
  __u32 filename;
  __s32 pid;
  __s32 old_pid;
};

SEC("tracepoint")
int on_exec(struct sched_process_exec_event *event) {
  change_id(event->old_pid, event->pid, 0);
  return 0;
}

#else

/* Of the function of the C library in which the task waits, which has no frame of its own. */
static __always_inline __u64 caller_in(const struct pt_regs *regs, bool is_kernel_thread) {
#ifdef __TARGET_ARCH_x86
  if (!record_config.user_stacks || is_kernel_thread) return 0;
  return (long)regs->orig_ax < 0 ? 0 : caller_of_wrapper(regs); /* below 0: not in a system call */
#else
  return 0;
#endif
}

/* As since 5.18, whose last argument is the state with which the thread leaves: by the time the event comes, the one in
 * its structure may be what another CPU has made of it that wakes it up. */
typedef void (*btf_trace_sched_switch)(void *, bool, struct task_struct *, struct task_struct *, unsigned int);

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next) {
  __u64 task_state = 0;
  if (bpf_core_type_exists(btf_trace_sched_switch)) {
    task_state = (__u32)ctx[3];
  } else if (bpf_core_field_exists(prev->__state)) {
    task_state = prev->__state;
  } else {
    task_state = (__u64)((struct task_struct___before_5_14 *)prev)->state;
  }
  const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(prev);
  const bool is_kernel_thread = (prev->flags & PF_KTHREAD) != 0;
  const struct leaving leaving = {
      .id = prev->pid,
      .preempted = preempt,
      .is_kernel_thread = is_kernel_thread,
      .task_state = task_state,
      .regs = regs,
      .caller = prev->pid == 0 ? 0 : caller_in(regs, is_kernel_thread),
      .ran_ns = prev->se.sum_exec_runtime,
  };
  leave_cpu(ctx, &leaving);
  if (next->pid != 0) enter_cpu(next->pid, next->se.sum_exec_runtime);
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_pid) {
  change_id(old_pid, task->pid, task->se.sum_exec_runtime);
  return 0;
}

#endif

/* wall: what runs now has run since the last tick of its thread, wherever that was. */
SEC("perf_event")
int on_tick(void *ctx) {
  const __u64 ran_ns = take_time_on_cpu(bpf_ktime_get_ns());
  struct sample sample;
  if (!begin_sample(&sample)) return 0;
  const __u32 id = (__u32)bpf_get_current_pid_tgid();
  struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
  const __u64 before_ns = thread ? thread->uncounted_ns : 0;
  if (thread) thread->uncounted_ns = 0;
  return end_sample(ctx, &sample, before_ns + ran_ns);
}

#ifndef PROFILE_LEAN

/* The CPU that a task which does not run was on last. */
static __always_inline __u32 cpu_of(struct task_struct *task) {
  if (bpf_core_field_exists(task->thread_info.cpu)) return BPF_CORE_READ(task, thread_info.cpu);
  return BPF_CORE_READ((struct task_struct___before_5_16 *)task, cpu);
}

/* Whether the task, not necessarily the current one, is asked for; for filters that can be told of any task. */
static __always_inline bool is_wanted_task(struct task_struct *task, __u64 ids) {
  if (record_config.filter_cpu && !is_wanted_cpu(cpu_of(task))) return false;
  if (record_config.target_filter != TARGET_ALL) {
    __u32 id = record_config.target_filter == TARGET_TIDS ? (__u32)ids : ids >> 32;
    if (record_config.target_filter == TARGET_FOLLOWED) id = BPF_CORE_READ(task, tgid);
    if (!bpf_map_lookup_elem(&targets, &id)) return false;
  }
  if (record_config.filter_mntns_map) {
    __u64 id = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
    if (!bpf_map_lookup_elem(&mntns_map, &id)) return false;
  }
  return true;
}

/* The threads that are blocked as the run begins: nobody saw how they got there. User space walks their user stacks by
 * the registers and keeps both stacks, as if they had come through the ring buffer. */
SEC("iter/task")
int scan(struct bpf_iter__task *ctx) {
  struct task_struct *task = ctx->task;
  if (!task || task->on_cpu || task->pid == 0) return 0;
  __u64 task_state = 0;
  if (bpf_core_field_exists(task->__state)) {
    task_state = task->__state;
  } else {
    task_state = (__u64)((struct task_struct___before_5_14 *)task)->state;
  }
  if (task_state & TASK_DEAD) return 0;
  if (!(wait_state_of(false, task_state) & config.states)) return 0;
  __u64 ids = (__u64)task->tgid << 32 | (__u32)task->pid;
  if (record_config.pid_namespace) ids = ids_in(task, record_config.pid_namespace);
  if (!is_wanted_task(task, ids)) return 0;

  const __u32 zero = 0;
  struct blocked_task *blocked = bpf_map_lookup_elem(&scan_buffer, &zero);
  if (!blocked) return 0;
  __builtin_memset(blocked, 0, sizeof(*blocked));
  const __u32 id = task->pid;
  struct thread_waits fresh = {.tgid = ids >> 32, .tid = (__u32)ids, .id = id};
  fresh.span.start_ns = bpf_ktime_get_ns();
  fresh.span.whole = fresh.span.start_ns;
  fresh.began_ns = fresh.span.start_ns;
  fresh.seen_ns = fresh.span.start_ns;
  fresh.ran_ns = task->se.sum_exec_runtime;
  fresh.away = 1;
  fresh.is_kernel_thread = task->flags & PF_KTHREAD ? 1 : 0;
  bpf_probe_read_kernel_str(fresh.name, sizeof(fresh.name), task->comm);
  /* For waits whose beginning is not seen. */
  fresh.span.key.tgid = fresh.tgid;
  if (record_config.by_thread) fresh.span.key.tid = fresh.tid;
  if (record_config.by_cpu) fresh.span.key.cpu = cpu_of(task);
  if (config.wall) fresh.span.key.tag = PROFILE_TAG_OFF_CPU;
  __builtin_memcpy(fresh.span.key.comm, fresh.name, sizeof(fresh.name));
  if (bpf_map_update_elem(&spans, &id, &fresh, BPF_NOEXIST)) return 0; /* its wait has been seen to begin */

  blocked->id = id;
  blocked->head.header.type = RING_SPAN;
  blocked->head.time_ns = fresh.span.start_ns;
  blocked->head.span = id;
  blocked->head.tgid = fresh.tgid;
  blocked->head.tid = fresh.span.key.tid;
  blocked->head.tag = fresh.span.key.tag;
  blocked->head.cpu = cpu_of(task);
  __builtin_memcpy(blocked->head.comm, fresh.name, sizeof(blocked->head.comm));
  blocked->head.user_bytes = -EFAULT;
  if (record_config.user_stacks && !(task->flags & PF_KTHREAD)) {
    const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
    blocked->head.user_bytes = 0;
#ifdef __TARGET_ARCH_x86
    blocked->ip = BPF_CORE_READ(regs, ip);
    blocked->sp = BPF_CORE_READ(regs, sp);
    blocked->fp = BPF_CORE_READ(regs, bp);
#else
    blocked->ip = BPF_CORE_READ(regs, pc);
    blocked->sp = BPF_CORE_READ(regs, sp);
    blocked->fp = BPF_CORE_READ(regs, regs[29]);
#endif
  }
  const __u32 stack_bytes = record_config.max_depth * sizeof(__u64);
  long taken = -EFAULT;
  if (record_config.kernel_stacks) taken = bpf_get_task_stack(task, blocked + 1, stack_bytes, 0);
  blocked->head.kernel_bytes = (__s32)taken;
  __u64 used = taken > 0 ? (__u64)taken : 0;
  if (used > stack_bytes) used = stack_bytes; /* the verifier cannot know */
  bpf_seq_write(ctx->meta->seq, blocked, sizeof(*blocked) + used);

  if (task->on_cpu) { /* it came onto a CPU before it stood in the map: this wait was over already */
    struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
    if (thread && thread->span.whole) close_span(&thread->span);
  }
  return 0;
}

#endif

/* Counts a wait that goes on as far as it has come. */
static long cut_wait(void *map, const __u32 *id, struct thread_waits *thread, void *unused) {
  const __u64 start_ns = thread->span.start_ns;
  const __u64 now_ns = state.last_flush ? state.ended_ns : bpf_ktime_get_ns();
  if (!start_ns || now_ns <= start_ns) return 0;
  const __u64 waited_ns = now_ns - thread->began_ns;
  if (!counts(waited_ns) && !state.last_flush) return 0;
  const __u64 next_ns = state.last_flush ? 0 : now_ns;
  if (__sync_val_compare_and_swap(&thread->span.start_ns, start_ns, next_ns) != start_ns) return 0;
  const bool is_worth = counts(waited_ns);
  if (is_worth) {
    add_wait(thread, now_ns - start_ns, waited_ns, state.last_flush);
    state.cut_waits++;
    state.cut_ns += now_ns - start_ns;
  }
  count_span(&thread->span, *id, now_ns - start_ns,
             (state.last_flush ? SPAN_CLOSED : 0) | (is_worth ? SPAN_COUNTS : 0));
  return 0;
}

SEC("raw_tp")
int flush(void *ctx) {
  state.cut_waits = 0;
  state.cut_ns = 0;
  bpf_for_each_map_elem(&spans, cut_wait, NULL, 0);
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
