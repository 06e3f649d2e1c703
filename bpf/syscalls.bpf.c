/* The source `syscalls`: counts system calls when they begin. Only if the user asks for it, it also measures how long
 * they take and how they end. The simple path adds 1 to a counter of this CPU: no hash, no stack, no account.
 * Interrupts make no system calls, so only one program at a time writes to a CPU's counters. */
#include "record.bpf.h"
/* These headers need the types above. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "compat.bpf.h"
#include "follow.bpf.h"
#include "span.bpf.h"
#include "syscall_maps.bpf.h"
#include "syscall_results.bpf.h"
#include "trace_events.bpf.h"

#define X32_SYSCALL_BIT 0x40000000

/* The first number gets the place, because an update with BPF_NOEXIST is one step. Other numbers for the same place are
 * out of range. */
static __always_inline __u32 odd_call(__u32 abi, __u32 number) {
  const __u32 table = abi << PROFILE_SYSCALL_ABI_SHIFT;
  const __u32 call = table | (PROFILE_SYSCALL_ODD + number % PROFILE_SYSCALL_ODD_PLACES);
  const __u32 *taken = bpf_map_lookup_elem(&odd_numbers, &call);
  if (!taken) {
    bpf_map_update_elem(&odd_numbers, &call, &number, BPF_NOEXIST);
    taken = bpf_map_lookup_elem(&odd_numbers, &call);
  }
  return taken && *taken == number ? call : table | PROFILE_SYSCALL_OUT_OF_RANGE;
}

static __always_inline __u32 call_of(long id) {
  __u32 number = (__u32)id;
  __u32 abi = SYSCALL_NATIVE;
  if (is_compat()) {
    abi = SYSCALL_COMPAT;
#ifdef __TARGET_ARCH_x86
  } else if ((number & X32_SYSCALL_BIT) && (__s32)number >= 0) {
    abi = SYSCALL_X32;
    number &= ~X32_SYSCALL_BIT;
#endif
  }
  __u32 call = number >= PROFILE_SYSCALL_ODD ? odd_call(abi, number) : abi << PROFILE_SYSCALL_ABI_SHIFT | number;
  barrier_var(call); /* the compiler knows the bound and would remove a check that the verifier needs */
  return call;
}

static __always_inline void count_call(struct syscall_counts *own, __u32 tgid, __u32 call) {
  if (config.by_process) {
    const struct syscall_key key = key_of(tgid, call);
    struct syscall_use *use = bpf_map_lookup_elem(&uses, &key);
    if (use) {
      use->begun++;
      own->in_table++;
      return;
    }
    /* An initializer would be a constant without a name. Then Linux 5.10 refuses the object's BTF, and with it the
     * walk's global functions. */
    struct syscall_use fresh;
    __builtin_memset(&fresh, 0, sizeof(fresh));
    fresh.begun = 1;
    bpf_get_current_comm(fresh.comm, sizeof(fresh.comm));
    if (add_row(&uses, &key, &fresh)) {
      own->in_table++;
      return;
    }
  }
  /* The comparison and the use must have one register. Verifiers up to 6.1 forget the bounds of a value that was on the
   * stack in between. */
  barrier_var(call);
  if (call < PROFILE_SYSCALLS) own->begun[call]++;
}

/* The entry for the current thread's call, which stays for the thread's life. Not inlined, because the stack walk needs
 * most of the BPF stack. */
static __noinline struct syscall_under_way *place_of_thread(__u32 tid) {
  struct syscall_under_way *place = bpf_map_lookup_elem(&spans, &tid);
  if (place) return place;
  const struct syscall_under_way fresh = {.span.key = {.user_stack = -EFAULT, .kernel_stack = -EFAULT}};
  bpf_map_update_elem(&spans, &tid, &fresh, BPF_NOEXIST);
  return bpf_map_lookup_elem(&spans, &tid);
}

/* Notes the beginning of a call whose end is measured. `sample` is NULL when no stacks are wanted. */
static __always_inline void begin_call(void *ctx, struct syscall_counts *own, __u32 tgid, __u32 call,
                                       struct sample *sample) {
  const __u32 tid = (__u32)bpf_get_current_pid_tgid();
  struct syscall_under_way *place = place_of_thread(tid);
  if (!place) {
    own->unmeasured++;
    if (sample && config.latency) lose_span(sample);
    return;
  }
  place->tgid = tgid;
  place->call = call;
  if (sample && config.latency) {
    begin_span(ctx, &place->span, tid, sample);
    place->began_ns = place->span.start_ns;
  } else {
    place->began_ns = config.latency ? bpf_ktime_get_ns() : 1;
    place->span.start_ns = place->began_ns;
  }
}

/* Counts a call as filtered. */
static __always_inline int leave_out(struct syscall_counts *own) {
  if (config.stacks) {
    struct cpu_account *account = account_of(current_generation());
    if (!account) return 0;
    bump(account, ACCOUNT_TAKEN);
    bump(account, ACCOUNT_FILTERED);
  } else {
    own->filtered++;
  }
  return 0;
}

static __always_inline int enter_call(void *ctx, long id) {
  struct syscall_counts *own = own_counts();
  if (!own || is_paused()) return 0;
  const __u32 call = call_of(id);
  __u32 marks = CALL_RETURNS;
  if (config.some_calls || config.results) {
    if (call >= PROFILE_SYSCALLS) return 0; /* the verifier does not know this bound */
    marks = call_marks[call];
    if (config.some_calls && !(marks & CALL_WANTED)) return leave_out(own);
  }
  __u64 ids = bpf_get_current_pid_tgid();
  if (record_config.pid_namespace) ids = current_ids_in(record_config.pid_namespace);
  const __u32 tgid = ids >> 32;
  if (!config.stacks || (config.failed_stacks && !config.latency)) {
    if (!is_wanted(tgid, (__u32)ids)) return leave_out(own);
    count_call(own, tgid, call);
    if (config.results && (marks & CALL_RETURNS)) begin_call(ctx, own, tgid, call, NULL);
    return 0;
  }
  struct sample sample;
  if (!begin_sample(&sample)) return 0;
  sample.key.tag = call + 1;
  count_call(own, tgid, call);
  if (config.latency && !(marks & CALL_RETURNS)) return leave_out(own); /* it does not return, so it has no duration */
  if (config.results && (marks & CALL_RETURNS)) begin_call(ctx, own, tgid, call, &sample);
  return config.latency ? 0 : end_sample(ctx, &sample, 1);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long id) { return enter_call(ctx, id); }

SEC("tracepoint/raw_syscalls/sys_enter")
int on_enter_event(struct sys_enter_event *ctx) { return enter_call(ctx, ctx->id); }

/* The user stack is the same as when the call began. */
static __always_inline int record_failed_call(void *ctx, __u32 call, __u32 error) {
  struct sample sample;
  if (!begin_sample(&sample)) return 0;
  sample.key.tag = error << SYSCALL_ERROR_SHIFT | (call + 1);
  return end_sample(ctx, &sample, 1);
}

static __always_inline int leave_call(void *ctx, long answer) {
  const __u32 tid = (__u32)bpf_get_current_pid_tgid();
  struct syscall_under_way *place = bpf_map_lookup_elem(&spans, &tid);
  if (!place || !place->span.start_ns) return 0; /* it began before the program was attached, or was filtered */
  if (is_paused()) return 0;
  place->span.start_ns = 0;
  end_call(place, config.latency ? bpf_ktime_get_ns() : 0, answer);
  const __u32 error = config.failed_stacks ? errno_of(answer) : 0;
  return error ? record_failed_call(ctx, place->call, error) : 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long answer) { return leave_call(ctx, answer); }

SEC("tracepoint/raw_syscalls/sys_exit")
int on_exit_event(struct sys_exit_event *event) { return leave_call(event, event->ret); }

/* A thread that exits does not return from its call. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_thread_end, struct task_struct *task) {
  const __u32 tid = (__u32)bpf_get_current_pid_tgid();
  bpf_map_delete_elem(&spans, &tid);
  return 0;
}

/* A thread that calls exec takes the id of its process's first thread. No program would find the call under that id
 * when it returns, so the call ends here. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid) {
  const __u32 tid = old_tid;
  if (task->pid == old_tid) return 0;
  const struct syscall_under_way *place = bpf_map_lookup_elem(&spans, &tid);
  if (!place) return 0;
  if (place->span.start_ns) end_call(place, config.latency ? bpf_ktime_get_ns() : 0, 0);
  bpf_map_delete_elem(&spans, &tid);
  return 0;
}

/* The same three programs for stacks that are weighted by durations. They need atomics that return a value
 * (Linux 5.12), and older kernels refuse these even in code that never runs. So they are separate programs. */

/* `error`: of the call; 0 if it did not fail, or does not return. */
static __always_inline bool end_span(struct syscall_under_way *place, __u32 tid, __u64 now_ns, __u64 error) {
  const __u64 start_ns = close_span(&place->span);
  if (!start_ns) return false;
  const __u32 counts = config.failed_stacks && !error ? 0 : SPAN_COUNTS;
  count_span(&place->span, tid, now_ns - start_ns, counts | SPAN_CLOSED, start_ns);
  return true;
}

static __always_inline int leave_call_of_span(long answer) {
  const __u32 tid = (__u32)bpf_get_current_pid_tgid();
  struct syscall_under_way *place = bpf_map_lookup_elem(&spans, &tid);
  if (!place || is_paused()) return 0;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (end_span(place, tid, now_ns, errno_of(answer))) end_call(place, now_ns, answer);
  return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit_of_span, struct pt_regs *regs, long answer) { return leave_call_of_span(answer); }

SEC("tracepoint/raw_syscalls/sys_exit")
int on_exit_of_span_event(struct sys_exit_event *event) { return leave_call_of_span(event->ret); }

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_thread_end_of_span, struct task_struct *task) {
  const __u32 tid = (__u32)bpf_get_current_pid_tgid();
  struct syscall_under_way *place = bpf_map_lookup_elem(&spans, &tid);
  if (!place) return 0;
  end_span(place, tid, bpf_ktime_get_ns(), 0);
  bpf_map_delete_elem(&spans, &tid);
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec_of_span, struct task_struct *task, int old_tid) {
  const __u32 tid = old_tid;
  if (task->pid == old_tid) return 0;
  struct syscall_under_way *place = bpf_map_lookup_elem(&spans, &tid);
  if (!place) return 0;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (end_span(place, tid, now_ns, 0)) end_call(place, now_ns, 0);
  bpf_map_delete_elem(&spans, &tid);
  return 0;
}

/* Counts the ticks at which a wanted task is on the CPU: how much CPU time these tasks use. */
SEC("perf_event")
int on_tick(void *ctx) {
  __u64 ids = bpf_get_current_pid_tgid();
  if (ids == 0) return 0; /* the idle task */
  if (record_config.pid_namespace) ids = current_ids_in(record_config.pid_namespace);
  const __u32 tgid = ids >> 32;
  if (!is_wanted(tgid, (__u32)ids)) return 0;
  struct syscall_counts *own = own_counts();
  if (own) own->ticks++; /* nothing else writes to it, and no tick interrupts another */
  return 0;
}

/* With stacks and durations: counts the time so far of a call that goes on. Whether it fails is not known yet. */
static long cut_call(void *map, const __u32 *tid, struct syscall_under_way *place, void *unused) {
  if (config.failed_stacks && !state.last_flush) return 0;
  const __u64 start_ns = place->span.start_ns;
  const __u64 now_ns = end_of_span(start_ns);
  if (!start_ns || now_ns <= start_ns) return 0;
  const __u64 next_ns = state.last_flush ? 0 : now_ns;
  if (__sync_val_compare_and_swap(&place->span.start_ns, start_ns, next_ns) != start_ns) return 0;
  count_span(&place->span, *tid, now_ns - start_ns,
             (config.failed_stacks ? 0 : SPAN_COUNTS) | (state.last_flush ? SPAN_CLOSED : SPAN_PART), start_ns);
  return 0;
}

SEC("raw_tp")
int flush(void *ctx) {
  bpf_for_each_map_elem(&spans, cut_call, NULL, 0);
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
