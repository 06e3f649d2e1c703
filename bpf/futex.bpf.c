/* The source `futex`: how long threads wait in the system calls that locks and condition variables use, by the stack
 * that waits and by the futex's address. */
#include "abi/futex.h"
#include "record.bpf.h"
/* These headers need the types above. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "compat.bpf.h"
#include "durations.bpf.h"
#include "follow.bpf.h"
#include "span.bpf.h"
#include "trace_events.bpf.h"

/* The operations of linux/futex.h. The mask removes their flags: private, and which clock. */
#define FUTEX_COMMAND(operation) ((operation)&0x7f)
#define FUTEX_WAIT 0
#define FUTEX_LOCK_PI 6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAIT_REQUEUE_PI 11
#define FUTEX_LOCK_PI2 13

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* The registers with the first two arguments of a system call. x86: di and si in 64-bit calls, bx and cx in 32-bit
 * calls. */
struct pt_regs___arguments {
#ifdef __TARGET_ARCH_x86
  unsigned long di;
  unsigned long si;
  unsigned long bx;
  unsigned long cx;
#else
  unsigned long regs[31];
#endif
};
#pragma clang attribute pop

SEC(".rodata.futex") const volatile struct futex_config config = {};

MAP(spans, HASH, BPF_F_NO_PREALLOC, __u32, struct futex_wait, SET_BY_USER_SPACE);

static __always_inline bool waits(__u32 operation) {
  switch (FUTEX_COMMAND(operation)) {
    case FUTEX_WAIT:
    case FUTEX_LOCK_PI:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI2:
      return true;
    default:
      return false;
  }
}

/* The address at which the current thread is about to wait, by the first two arguments of its system call. 0: it does
 * not wait for a futex. */
static __always_inline __u64 address_of(int call, __u64 first, __u64 second, bool compat) {
  if (call != config.futex && call != config.futex_wait && call != config.futex_waitv && call != config.compat_futex &&
      call != config.compat_futex_time64) {
    return 0;
  }
  if (compat ? call == config.compat_futex || call == config.compat_futex_time64 : call == config.futex) {
    return waits(second) ? first : 0;
  }
  if (compat) return 0;
  if (call == config.futex_wait) return first;
  if (call != config.futex_waitv) return 0;
  /* The first futex stands for all of them. struct futex_waitv begins with a value of 8 bytes, then the address. */
  __u64 address = 0;
  if (bpf_probe_read_user(&address, sizeof(address), (void *)(first + sizeof(__u64)))) return 0;
  return address;
}

/* Not inlined, because the stack walk needs most of the BPF stack. */
static __noinline struct futex_wait *place_of_thread(__u32 thread) {
  struct futex_wait *wait = bpf_map_lookup_elem(&spans, &thread);
  if (wait) return wait;
  const struct futex_wait fresh = {};
  bpf_map_update_elem(&spans, &thread, &fresh, BPF_NOEXIST);
  return bpf_map_lookup_elem(&spans, &thread);
}

static __always_inline int begin_wait(void *ctx, __u64 address) {
  struct sample sample;
  if (!begin_sample(&sample)) return 0;

  const __u32 thread = (__u32)bpf_get_current_pid_tgid();
  struct futex_wait *wait = place_of_thread(thread);
  if (!wait) {
    lose_span(&sample);
    return 0;
  }
  wait->address = address;
  begin_span(ctx, &wait->span, thread, &sample);
  wait->began_ns = wait->span.start_ns;
  return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *registers, long call) {
  const struct pt_regs___arguments *arguments = (const struct pt_regs___arguments *)registers;
  const bool compat = is_compat();
#ifdef __TARGET_ARCH_x86
  const __u64 first = compat ? (__u32)arguments->bx : arguments->di;
  const __u64 second = compat ? arguments->cx : arguments->si;
#else
  const __u64 first = arguments->regs[0];
  const __u64 second = arguments->regs[1];
#endif
  const __u64 address = address_of((int)call, first, second, compat);
  return address ? begin_wait(ctx, address) : 0;
}

SEC("tracepoint/raw_syscalls/sys_enter")
int on_enter_event(struct sys_enter_event *ctx) {
  const bool compat = is_compat();
  const __u64 first = compat ? (__u32)ctx->args[0] : ctx->args[0];
  const __u64 address = address_of((int)ctx->id, first, ctx->args[1], compat);
  return address ? begin_wait(ctx, address) : 0;
}

static __always_inline bool counts(__u64 waited_ns) { return waited_ns >= config.min_ns && waited_ns <= config.max_ns; }

static __always_inline void count_wait(struct futex_wait *wait, __u32 thread, __u64 start_ns, __u64 now_ns,
                                       bool is_over) {
  const __u64 waited_ns = now_ns - wait->began_ns;
  const bool is_counted = counts(waited_ns);
  if (is_counted) {
    struct durations_sum *sum = durations_of(wait->address, wait->span.key.tgid, wait->span.key.comm);
    if (sum) add_duration(sum, now_ns - start_ns, waited_ns, is_over);
  }
  count_span(&wait->span, thread, now_ns - start_ns,
             (is_over ? SPAN_CLOSED : SPAN_PART) | (is_counted ? SPAN_COUNTS : 0), start_ns);
}

static __always_inline void end_wait(struct futex_wait *wait, __u32 thread) {
  const __u64 start_ns = close_span(&wait->span);
  if (start_ns) count_wait(wait, thread, start_ns, end_of_span(start_ns), true);
}

static __always_inline int leave_call(void) {
  const __u32 thread = (__u32)bpf_get_current_pid_tgid();
  struct futex_wait *wait = bpf_map_lookup_elem(&spans, &thread);
  if (wait) end_wait(wait, thread);
  return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *registers, long answer) { return leave_call(); }

SEC("tracepoint/raw_syscalls/sys_exit")
int on_exit_event(void *ctx) { return leave_call(); }

/* The exit of a thread ends its wait. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_thread_end, struct task_struct *task) {
  const __u32 thread = (__u32)bpf_get_current_pid_tgid();
  struct futex_wait *wait = bpf_map_lookup_elem(&spans, &thread);
  if (!wait) return 0;
  end_wait(wait, thread);
  bpf_map_delete_elem(&spans, &thread);
  return 0;
}

/* A thread that calls exec takes the id of its process's first thread. Its old id is free then, and it does not wait
 * for a futex meanwhile. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid) {
  const __u32 thread = old_tid;
  if (task->pid != old_tid) bpf_map_delete_elem(&spans, &thread);
  return 0;
}

/* Counts the time so far of a wait that goes on. */
static long cut_wait(void *map, const __u32 *thread, struct futex_wait *wait, void *unused) {
  const __u64 start_ns = wait->span.start_ns;
  const __u64 now_ns = end_of_span(start_ns);
  if (!start_ns || now_ns <= start_ns) return 0;
  const bool is_last = durations_state.last_flush;
  const bool is_counted = counts(now_ns - wait->began_ns);
  if (!is_counted && !is_last) return 0;
  if (__sync_val_compare_and_swap(&wait->span.start_ns, start_ns, is_last ? 0 : now_ns) != start_ns) return 0;
  if (is_counted) {
    durations_state.cut++;
    durations_state.cut_ns += now_ns - start_ns;
  }
  count_wait(wait, *thread, start_ns, now_ns, is_last);
  return 0;
}

SEC("raw_tp")
int flush(void *ctx) {
  durations_state.cut = 0;
  durations_state.cut_ns = 0;
  bpf_for_each_map_elem(&spans, cut_wait, NULL, 0);
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
