/* Fills the map `targets` for `profile -- COMMAND`. It adds a child before the child's first instruction, and removes a
 * process when the kernel frees it. The value is the address of the thread group's signal_struct. No exec changes it,
 * so a late removal never removes a new process with the same tgid. Keys are ids of the initial pid namespace, because
 * a task that the kernel frees has no others. */
#ifndef PROFILE_FOLLOW_BPF_H
#define PROFILE_FOLLOW_BPF_H

#include <bpf/bpf_tracing.h>

#include "record.bpf.h"

static __always_inline bool leads_its_group(struct task_struct *task) {
  return BPF_CORE_READ(task, pid) == BPF_CORE_READ(task, tgid);
}

static __always_inline bool is_followed(struct task_struct *task) {
  const __u32 tgid = BPF_CORE_READ(task, tgid);
  if (bpf_map_lookup_elem(&targets, &tgid)) return true;
  const __u32 seen = record_config.pid_namespace ? ids_in(task, record_config.pid_namespace) >> 32 : tgid;
  return seen == record_config.follow_children_of;
}

SEC("raw_tp/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child) {
  if (!leads_its_group(child)) return 0; /* a thread: only processes are in the map */
  if (!is_followed(parent)) return 0;
  const __u32 tgid = BPF_CORE_READ(child, tgid);
  const __u64 life = (__u64)BPF_CORE_READ(child, signal);
  if (bpf_map_update_elem(&targets, &tgid, &life, BPF_ANY)) __sync_fetch_and_add(&record_state.unfollowed, 1);
  return 0;
}

SEC("raw_tp/sched_process_free")
int BPF_PROG(on_free, struct task_struct *task) {
  if (!leads_its_group(task)) return 0;
  const __u32 tgid = BPF_CORE_READ(task, tgid);
  const __u64 *life = bpf_map_lookup_elem(&targets, &tgid);
  if (life && *life == (__u64)BPF_CORE_READ(task, signal)) bpf_map_delete_elem(&targets, &tgid);
  return 0;
}

#endif
