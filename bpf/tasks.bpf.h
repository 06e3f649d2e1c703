/* What the BPF programs read of tasks: ids in a pid namespace, and the mount namespace. It needs the kernel's BTF, so
 * lean objects do not have it. follow.bpf.h finds the descendants of the command. */
#ifndef PROFILE_TASKS_BPF_H
#define PROFILE_TASKS_BPF_H

#include "compiler.bpf.h"
/* This header needs the types above. */
#include <bpf/bpf_core_read.h>

#include "kernel.bpf.h"

/* The most nested pid namespaces: the kernel's MAX_PID_NS_LEVEL. */
#define MAX_PID_NAMESPACE_LEVEL 32

static __always_inline __u64 current_mount_namespace(void) {
  struct task_struct *task = (struct task_struct *)bpf_get_current_task();
  return BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
}

/* The id of `pid` in the pid namespace with the inode `namespace`. 0: it is not visible there; the kernel answers the
 * same. */
static __always_inline __u32 number_in(struct pid *pid, __u32 namespace) {
  const __u32 level = BPF_CORE_READ(pid, level);
  for (__u32 i = 0; i < MAX_PID_NAMESPACE_LEVEL; i++) {
    if (i > level) break;
    struct upid *at =
        (struct upid *)((char *)pid + bpf_core_field_offset(struct pid, numbers) + i * bpf_core_type_size(struct upid));
    const __u32 inum = BPF_CORE_READ(at, ns, ns.inum);
    if (inum == namespace) return BPF_CORE_READ(at, nr);
  }
  return 0;
}

static __always_inline __u64 ids_in(struct task_struct *task, __u32 namespace) {
  const __u64 tgid = number_in(BPF_CORE_READ(task, group_leader, thread_pid), namespace);
  return tgid << 32 | number_in(BPF_CORE_READ(task, thread_pid), namespace);
}

static __always_inline __u64 current_ids_in(__u32 namespace) {
  return ids_in((struct task_struct *)bpf_get_current_task(), namespace);
}

#endif
