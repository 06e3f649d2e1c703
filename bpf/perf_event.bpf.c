/* The sources with perf's names. The program runs when a perf event overflows, and records the current task. Built
 * three times: see PROFILE_LEAN in record.bpf.h, and on_event() for PROFILE_NATIVE. */
/* This header has its own layout of struct pt_regs. The struct of the same name in kernel.bpf.h follows the kernel's
 * BTF. */
#define pt_regs pt_regs_of_uapi
#include <linux/bpf_perf_event.h>
#undef pt_regs
/* Volatile, because the verifier lets a program read a register only as a whole. */
#ifdef __TARGET_ARCH_x86
#define IS_IN_KERNEL(ctx) ((((const volatile struct bpf_perf_event_data *)(ctx))->regs.cs & 3) != 3)
#else
#define IS_IN_KERNEL(ctx) ((((const volatile struct bpf_perf_event_data *)(ctx))->regs.pstate & 0xf) != 0)
#endif
#include "weight.bpf.h"
#ifndef PROFILE_LEAN
#include "follow.bpf.h"
#endif

SEC(".rodata.perf_event") const volatile struct perf_event_config perf_event_config = {};

SEC(".data.perf_event") struct perf_event_state perf_event_state = {};

/* By CPU: the event's count at the last sample. */
MAP(counts, ARRAY, 0, __u32, __u64, SET_BY_USER_SPACE);

/* The period in `ctx` is the one that the kernel chose for the next sample, not for this one. The event's own count
 * adds up exactly. */
static __always_inline __u64 counted_since_last(struct bpf_perf_event_data *ctx) {
  struct bpf_perf_event_value now;
  const __u32 cpu = bpf_get_smp_processor_id();
  __u64 *last = bpf_map_lookup_elem(&counts, &cpu); /* sized for all possible CPUs */
  if (!last || bpf_perf_prog_read_value(ctx, &now, sizeof(now))) return ctx->sample_period;
  const __u64 weight = now.counter - *last;
  *last = now.counter;
  return weight;
}

static __always_inline __u64 weight_of(struct bpf_perf_event_data *ctx) {
  if (perf_event_config.weight == WEIGHT_PERIOD) return ctx->sample_period;
  return perf_event_config.weight == WEIGHT_COUNTED ? counted_since_last(ctx) : 1;
}

/* What the runs cost, by our own clock. The kernel's own count costs as much for each run, and to switch it on and off
 * changes the kernel's code, which takes longer than the rest of a short run. Not atomic: see `hits`. */
MAP(costs, PERCPU_ARRAY, 0, __u32, struct run_cost, 1);

static __always_inline struct run_cost *cost_here(void) {
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&costs, &zero); /* an array of one always has its first element */
}

/* The beginning is in the map, because the BPF stack has no room for it. */
static __always_inline void begin_cost(void) {
  struct run_cost *cost = cost_here();
  if (!cost) return;
  const bool is_timed =
      perf_event_config.weight == WEIGHT_OF_HIT || cost->runs < RUNS_ALL_TIMED || cost->untimed + 1 >= RUNS_OF_A_TIMED;
  cost->began_ns = is_timed ? bpf_ktime_get_ns() : 0;
  if (!is_timed) cost->untimed++;
}

static __always_inline void end_cost(void) {
  struct run_cost *cost = cost_here();
  if (!cost || !cost->began_ns) return;
  const __u64 stands_for = cost->untimed + 1;
  cost->runs += stands_for;
  cost->run_time_ns += stands_for * (bpf_ktime_get_ns() - cost->began_ns);
  cost->untimed = 0;
}

/* How many ticks of this CPU the sample stands for, this one included. 0: the tick is skipped. */
static __always_inline __u64 ticks_of_sample(void) {
  if (!perf_event_config.may_skip_ticks || bpf_get_current_pid_tgid() == 0) return 1;
  struct run_cost *cost = cost_here();
  if (!cost) return 1;
  const __u64 ticks = cost->skipped + 1;
  if (ticks < *(volatile __u32 *)&perf_event_state.ticks_a_sample) {
    cost->skipped = ticks;
    cost->all_skipped++;
    return 0;
  }
  cost->skipped = 0;
  return ticks;
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx) {
  const __u64 ticks = ticks_of_sample();
  if (!ticks) return 0;
  begin_cost();
  if (perf_event_config.weight == WEIGHT_OF_HIT) {
    record_hit(ctx);
  } else {
    record(ctx, ticks * weight_of(ctx));
  }
  end_cost();
  return 0;
}

#ifdef PROFILE_NATIVE
/* The verifier takes three times as long for a program that shows functions of scripts. So a run begins with one that
 * does not, and when an interpreter is met, user space puts the other in its place (src/sampling/script_program.h). */
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __uint(key_size, sizeof(__u32));
  __array(values, int(void *));
} sampler SEC(".maps") = {.values = {[0] = (void *)&on_sample}};

SEC("perf_event")
int on_event(struct bpf_perf_event_data *ctx) {
  bpf_tail_call(ctx, &sampler, 0);
  return 0;
}
#endif

char LICENSE[] SEC("license") = "Dual BSD/GPL";
