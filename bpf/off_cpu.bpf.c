/* The sources `off-cpu` and `wall`: how long threads are not on a CPU, by the stack with which they left it. A thread's
 * entry stays for the thread's life, so a switch costs two lookups and no insertion. For `wall` the ticks of a perf
 * event also count the time on the CPU: a tick weighs the thread's CPU time since its last tick.
 *
 * Built twice: with PROFILE_LEAN for kernels without BTF. There the switch is an event of tracefs, whose layout has not
 * changed since before 5.8, and the threads that are blocked when the run begins cannot be listed. */
#include "abi/off_cpu.h"
#include "record.bpf.h"
/* These headers need the types above. */
#ifndef PROFILE_LEAN
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "follow.bpf.h"
#endif
#include "span.bpf.h"
#ifdef PROFILE_LEAN
#include "trace_events.bpf.h"
#else
#include "stack_cache.bpf.h"
#endif

#define TASK_INTERRUPTIBLE 0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_DEAD 0x80
#define PF_KTHREAD 0x00200000
#define SIGNAL_GROUP_EXIT 0x4 /* of signal_struct::flags: all threads of the process end */

SEC(".rodata.off_cpu") const volatile struct off_cpu_config config = {};
SEC(".data.off_cpu") struct off_cpu_state state = {};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct thread_waits)); /* set by user space: with --waker struct woken_thread */
  __uint(max_entries, 65536);                      /* set by user space */
} spans SEC(".maps");

/* wall: the time (CLOCK_MONOTONIC) up to which this CPU's time has been counted. 0: none of the run's time has been. */
MAP(on_cpu_since, PERCPU_ARRAY, 0, __u32, __u64, 1);

MAP(ended_times, HASH, 0, struct ended_key, __u64, SET_BY_USER_SPACE);

/* The buffer for a record of the task iterator. User space makes it large enough for one kernel stack. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct blocked_task)); /* set */
  __uint(max_entries, 1);
} scan_buffer SEC(".maps");

/* All zeros: the first value of a thread's entry, which is too large for the BPF stack. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct thread_waits)); /* set by user space, like that of `spans` */
  __uint(max_entries, 1);
} no_waits SEC(".maps");

#include "waits.bpf.h"
#ifndef PROFILE_LEAN
#include "waker.bpf.h"
#endif

#ifndef PROFILE_LEAN
/* Whether the process of this task ends. The lean program cannot know it. */
static __always_inline bool is_ending(__u64 task) {
  return (((struct task_struct *)task)->signal->flags & SIGNAL_GROUP_EXIT) != 0;
}
#endif

/* The current task, which leaves this CPU. */
struct leaving {
  __u32 id;
  bool preempted;
  bool is_kernel_thread;
  __u64 task_state;
  __u64 ran_ns; /* its run time; 0: not known */
};

static __always_inline void leave_cpu(void *ctx, const struct leaving *task) {
  const __u64 now_ns = bpf_ktime_get_ns();
  const __u64 on_cpu_ns = config.wall ? take_time_on_cpu(now_ns) : 0;
  const __u32 id = task->id;
  if (id == 0) return; /* the idle task waits for nothing */
  struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
  if (thread) {
    if (thread->span.start_ns) end_unseen_wait(thread, id, now_ns, task->ran_ns);
    if (!(task->task_state & TASK_DEAD)) thread->flags |= THREAD_AWAY;
    thread->uncounted_ns += on_cpu_ns;
  }
  if (task->task_state & TASK_DEAD) {
    if (thread) {
      end_thread(thread, id);
    } else if (config.wall && on_cpu_ns) {
      keep_time_of_unlisted(on_cpu_ns);
    }
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
    if (!(task->task_state & TASK_DEAD)) thread->flags |= THREAD_AWAY;
    thread->uncounted_ns += on_cpu_ns;
    thread->is_kernel_thread = task->is_kernel_thread;
  }
  __builtin_memcpy(thread->name, sample.key.comm, sizeof(thread->name));
  thread->ran_ns = task->ran_ns;
  if (config.wall) sample.key.tag = PROFILE_TAG_OFF_CPU;
#ifdef PROFILE_LEAN
  begin_span(ctx, &thread->span, id, &sample);
#else
  const enum walked walked = decide_user_stack(sample.generation, &sample.key, NULL);
  const bool in_map = walked != WALKED_LOST && !record_config.each_sample &&
                      take_known_stacks(ctx, walked, thread->is_kernel_thread, &sample);
  open_span(ctx, &thread->span, id, &sample, walked, in_map);
#endif
#ifndef PROFILE_LEAN
  /* The waker of a sleeping thread may come before this event, and then waits for the end of the switch. So only a
   * preempted thread forgets its waker. */
  if (config.waker && wait_state_of(task->preempted, task->task_state) == WAIT_PREEMPTED) {
    ((struct woken_thread *)thread)->is_woken = 0;
  }
#endif
#ifndef PROFILE_LEAN
  if (is_ending(((volatile __u64 *)ctx)[1])) thread->flags |= THREAD_ENDING;
#endif
  thread->began_ns = thread->span.start_ns;
  thread->seen_ns = thread->span.start_ns;
}

/* The thread `id` comes onto this CPU. `ctx`: of the event of the switch. */
static __always_inline void enter_cpu(void *ctx, __u32 id, __u64 ran_ns) {
  struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
  if (!thread) return;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (thread->span.start_ns) {
#ifndef PROFILE_LEAN
    if (!(thread->flags & THREAD_ENDING) && is_ending(((volatile __u64 *)ctx)[2])) note_killed(thread);
    if (config.waker && ((struct woken_thread *)thread)->is_woken) {
      end_woken_wait((struct woken_thread *)thread, id, now_ns);
    } else
#endif
      end_wait(thread, id, now_ns);
  } else if (!(thread->flags & THREAD_AWAY) && thread->seen_ns && ran_ns) {
    count_unseen_wait(thread, id, now_ns, ran_ns);
  }
  thread->flags &= ~THREAD_AWAY;
  thread->seen_ns = now_ns;
  thread->ran_ns = ran_ns;
}

/* A thread that calls exec takes the id of its process's first thread. The entry under its old id ends. */
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

/* The event's bits for a task's state: include/trace/events/sched.h, and TASK_REPORT in include/linux/sched.h. */
#define REPORTED_DEAD 0x30
#define REPORTED_IDLE 0x80 /* uninterruptible, but not part of the load */
#define REPORTED_PREEMPTED 0x100

SEC("tracepoint/sched/sched_switch")
int on_switch(struct sched_switch_event *event) {
  const __u64 reported = event->prev_state;
  __u64 task_state = reported & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE | 0x4c);
  if (reported & REPORTED_DEAD) task_state = TASK_DEAD;
  if (reported & REPORTED_IDLE) task_state = TASK_UNINTERRUPTIBLE;
  const struct leaving leaving = {
      .id = event->prev_pid, .preempted = (reported & REPORTED_PREEMPTED) != 0, .task_state = task_state};
  leave_cpu(event, &leaving);
  const __u32 next_id = ((volatile struct sched_switch_event *)event)->next_pid;
  if (next_id != 0) enter_cpu(event, next_id, 0);
  return 0;
}

SEC("tracepoint/sched/sched_process_exec")
int on_exec(struct sched_process_exec_event *event) {
  change_id(event->old_pid, event->pid, 0);
  return 0;
}

#else

/* The event since 5.18: its last argument is the state with which the thread leaves. The state in the thread's
 * structure may be newer, because another CPU may have changed it to wake the thread. */
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
  const struct leaving leaving = {
      .id = prev->pid,
      .preempted = preempt,
      .is_kernel_thread = (prev->flags & PF_KTHREAD) != 0,
      .task_state = task_state,
      .ran_ns = prev->se.sum_exec_runtime,
  };
  leave_cpu(ctx, &leaving);
  next = (struct task_struct *)((volatile __u64 *)ctx)[2]; /* read again, because the BPF stack has no room for it */
  if (next->pid != 0) enter_cpu(ctx, next->pid, next->se.sum_exec_runtime);
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_pid) {
  change_id(old_pid, task->pid, task->se.sum_exec_runtime);
  return 0;
}

#endif

/* wall: counts the thread's time since its last tick, on all CPUs. */
SEC("perf_event")
int on_tick(void *ctx) {
  struct sample sample;
  const bool is_wanted = begin_sample(&sample);
  const __u64 ran_ns = take_time_on_cpu(bpf_ktime_get_ns());
  if (!is_wanted) return 0;
  const __u32 id = (__u32)bpf_get_current_pid_tgid();
  struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
  const __u64 before_ns = thread ? thread->uncounted_ns : 0;
  if (thread) thread->uncounted_ns = 0;
  return end_sample(ctx, &sample, before_ns + ran_ns + take_ended_times(&sample.key));
}

#ifndef PROFILE_LEAN
#include "blocked.bpf.h"
#endif

/* Counts the time so far of a wait that goes on. */
static long cut_wait(void *map, const __u32 *id, struct thread_waits *thread, void *unused) {
  if (config.ended && !state.last_flush) return 0;
  const __u64 start_ns = thread->span.start_ns;
  const __u64 from_ns = within_run(start_ns), now_ns = within_run(bpf_ktime_get_ns());
  if (!start_ns || now_ns <= from_ns) return 0;
  const __u64 waited_ns = time_between(within_run(thread->began_ns), now_ns);
  if (!counts(waited_ns) && !state.last_flush) return 0;
  const __u64 next_ns = state.last_flush ? 0 : now_ns;
  if (__sync_val_compare_and_swap(&thread->span.start_ns, start_ns, next_ns) != start_ns) return 0;
  const bool is_wanted = counts(waited_ns), is_counted = is_wanted && !config.ended;
  if (is_wanted) {
    state.cut_waits++;
    state.cut_ns += now_ns - from_ns;
  }
  if (is_counted) {
    if (state.last_flush) {
      add_wait(thread, now_ns - from_ns, waited_ns); /* no switch event comes any more */
    } else {
      add_cut(thread, now_ns - from_ns);
    }
  }
  count_span(&thread->span, *id, now_ns - from_ns,
             (state.last_flush ? SPAN_CLOSED : SPAN_PART) | (is_counted ? SPAN_COUNTS : 0), start_ns);
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
