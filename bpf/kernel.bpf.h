/* The kernel types and fields we read, and no others: with preserve_access_index libbpf finds their place in the
 * running kernel (CO-RE), so this is at once what makes us portable and the list of what we depend on. */
#ifndef PROFILE_KERNEL_BPF_H
#define PROFILE_KERNEL_BPF_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
  unsigned int inum;
};

struct pid_namespace {
  struct ns_common ns;
};

struct mnt_namespace {
  struct ns_common ns;
};

struct nsproxy {
  struct mnt_namespace *mnt_ns;
};

struct upid {
  int nr;
  struct pid_namespace *ns;
};

struct pid {
  unsigned int level;
  struct upid numbers[1]; /* [level + 1] */
};

struct signal_struct {
  int nr_threads; /* not read: the address of the struct stands for the thread group */
};

struct task_struct {
  int pid; /* the thread's id, in the kernel's words */
  int tgid;
  struct task_struct *group_leader;
  struct pid *thread_pid;
  struct signal_struct *signal;
  struct nsproxy *nsproxy;
};

#pragma clang attribute pop

#endif
