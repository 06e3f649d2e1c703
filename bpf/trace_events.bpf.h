/* The records that programs on the kernel's trace events get. These programs always keep their CPU; see
 * counts_on_trace_events(). */
#ifndef PROFILE_TRACE_EVENTS_BPF_H
#define PROFILE_TRACE_EVENTS_BPF_H

/* events/raw_syscalls/sys_enter/format */
struct sys_enter_event {
  __u64 common;
  long id;
  unsigned long args[6]; /* by place, for calls of the 32-bit kind, too */
};

/* events/raw_syscalls/sys_exit/format */
struct sys_exit_event {
  __u64 common;
  long id;
  long ret;
};

/* events/sched/sched_process_exec/format */
struct sched_process_exec_event {
  __u64 common;
  __u32 filename;
  __s32 pid;     /* in the initial PID namespace */
  __s32 old_pid; /* another, if the thread was not the first of its process */
};

#endif
