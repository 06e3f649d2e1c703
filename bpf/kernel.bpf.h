/* The kernel types and fields that the BPF programs read. With preserve_access_index libbpf finds their places in the
 * running kernel (CO-RE). So this file makes the programs portable, and lists what they depend on.
 * headers/sampling/kernel_needs.h says what else a kernel must have. */
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
  unsigned int flags; /* the struct's address stands for the thread group */
};

struct thread_info {
  unsigned long flags;
  unsigned int status; /* x86 */
  unsigned int cpu;
};

struct sched_entity {
  unsigned long long sum_exec_runtime;
};

/* The page of probes in a process. A return probe makes functions return to its first word. */
struct xol_area {
  unsigned long vaddr;
};

struct uprobes_state {
  struct xol_area *xol_area;
};

struct mm_struct {
  struct uprobes_state uprobes_state;
  unsigned long arg_start; /* of the program's arguments in the memory of its process */
  unsigned long arg_end;
};

struct return_instance {
  unsigned long stack;          /* the stack pointer at the function's first instruction */
  unsigned long orig_ret_vaddr; /* the real return address */
};

struct uprobe_task {
  struct return_instance *return_instances; /* the latest first */
};

struct task_struct {
  struct thread_info thread_info;
  struct sched_entity se;
  unsigned int __state; /* since 5.14; before: task_struct___before_5_14 */
  unsigned int flags;
  unsigned int on_cpu; /* fewer bytes since 7.3; libbpf adapts the load only if the type is unsigned */
  int pid;             /* the thread's id */
  int tgid;
  struct task_struct *group_leader;
  struct pid *thread_pid;
  struct signal_struct *signal;
  struct nsproxy *nsproxy;
  struct mm_struct *mm;
  struct uprobe_task *utask;
  char comm[16];
};

struct task_struct___before_5_14 {
  long state;
};

struct task_struct___before_5_16 {
  unsigned int cpu; /* since 5.16: thread_info.cpu; arm64 always had it there */
};

/* The registers of user space at its last entry into the kernel. */
struct pt_regs {
#ifdef __TARGET_ARCH_x86
  unsigned long ip;
  unsigned long sp;
  unsigned long bp;
  unsigned long cs;
#else
  unsigned long regs[31]; /* arm64: [29] is the frame pointer */
  unsigned long sp;
  unsigned long pc;
#endif
};

struct seq_file;

struct bpf_iter_meta {
  struct seq_file *seq;
};

struct bpf_iter__task {
  struct bpf_iter_meta *meta;
  struct task_struct *task;
};

/* `live` counts the threads of a process that have not ended. */
struct signal_struct___alive {
  struct {
    int counter;
  } live;
};

struct gendisk {
  char disk_name[32];
};

struct request_queue {
  struct gendisk *disk; /* since 5.15; before 5.17 struct request had it too */
};

/* A request to a block device. */
struct request {
  struct request_queue *q;
  unsigned int cmd_flags;
  unsigned int __data_len;
};

struct request___before_5_17 {
  struct gendisk *rq_disk;
};

#pragma clang attribute pop

#endif
