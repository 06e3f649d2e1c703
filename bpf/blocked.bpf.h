/* The threads that are blocked when the run begins. off_cpu.bpf.c includes this file after its maps. It reads kernel
 * structures, so the lean variant does not have it. */
#ifndef PROFILE_BLOCKED_BPF_H
#define PROFILE_BLOCKED_BPF_H

/* The last CPU of a task that does not run. */
static __always_inline __u32 cpu_of(struct task_struct *task) {
  if (bpf_core_field_exists(task->thread_info.cpu)) return BPF_CORE_READ(task, thread_info.cpu);
  return BPF_CORE_READ((struct task_struct___before_5_16 *)task, cpu);
}

/* As is_wanted(), for any task and not only the current one. The kernel answers the cgroup filters only for the current
 * task, so they are not here. */
static __always_inline bool is_wanted_task(struct task_struct *task, __u64 ids) {
  if (record_config.filter_cpu && !is_wanted_cpu(cpu_of(task))) return false;
  if (record_config.target_filter != TARGET_ALL) {
    __u32 id = record_config.target_filter == TARGET_TIDS ? (__u32)ids : ids >> 32;
    if (record_config.target_filter == TARGET_FOLLOWED) id = BPF_CORE_READ(task, tgid);
    if (!bpf_map_lookup_elem(&targets, &id)) return false;
  }
  if (wanted_names.count) {
    __u64 name[PROFILE_COMM_BYTES / 8] = {};
    bpf_probe_read_kernel_str(name, sizeof(name), task->comm);
    if (!is_wanted_name(name)) return false;
  }
  if (record_config.filter_mntns_map) {
    __u64 id = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
    if (!bpf_map_lookup_elem(&mntns_map, &id)) return false;
  }
  return true;
}

/* Notes what user space needs to walk the task's user stack by tables. The walk cannot run here, because this CPU does
 * not have the task's memory. */
static __always_inline void note_registers(struct blocked_task *blocked, struct task_struct *task, __u64 registers) {
  if (walk_config.mode == WALK_OFF || walk_config.mode == WALK_POINTERS) return;
  struct walk *walk = take_walk();
  if (!walk) return;
  __u64 mm = 0;
  if (read_registers(walk, registers) == BEGUN && !READ_AT(mm, task, task_mm) && mm &&
      !READ_AT(blocked->start_stack, mm, mm_start_stack) && !name_registers(walk->slot)) {
    blocked->ip = walk->pc;
    blocked->extra = walk->extra;
    __builtin_memcpy(blocked->registers, walk->innermost, sizeof(walk->innermost));
  }
  give_walk(walk);
}

/* Reports the threads that are blocked when the run begins, because no switch event shows how these waits began. User
 * space walks their user stacks from the registers, and holds both stacks like stacks from the ring buffer. */
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
  struct woken_thread fresh = {.waits = {.tgid = ids >> 32, .tid = (__u32)ids, .id = id}};
  fresh.waits.span.start_ns = bpf_ktime_get_ns();
  fresh.waits.span.sent_ns = fresh.waits.span.start_ns;
  fresh.waits.began_ns = fresh.waits.span.start_ns;
  fresh.waits.seen_ns = fresh.waits.span.start_ns;
  fresh.waits.ran_ns = task->se.sum_exec_runtime;
  fresh.waits.flags = THREAD_AWAY;
  fresh.waits.is_kernel_thread = task->flags & PF_KTHREAD ? 1 : 0;
  bpf_probe_read_kernel_str(fresh.waits.name, sizeof(fresh.waits.name), task->comm);
  /* This key also serves waits whose beginning is not seen. */
  fresh.waits.span.key.tgid = fresh.waits.tgid;
  if (record_config.by_thread) fresh.waits.span.key.tid = fresh.waits.tid;
  if (record_config.by_cpu) fresh.waits.span.key.cpu = cpu_of(task);
  if (config.wall) fresh.waits.span.key.tag = PROFILE_TAG_OFF_CPU;
  __builtin_memcpy(fresh.waits.span.key.comm, fresh.waits.name, sizeof(fresh.waits.name));
  if (bpf_map_lookup_elem(&spans, &id)) return 0; /* on_switch has seen its wait begin */

  blocked->id = id;
  blocked->head.header.type = RING_SPAN;
  blocked->head.time_ns = fresh.waits.span.start_ns;
  blocked->head.span = id;
  blocked->head.key = fresh.waits.span.key;
  blocked->head.key.cpu = cpu_of(task);
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
    note_registers(blocked, task, (__u64)regs);
  }
  const __u32 stack_bytes = record_config.max_depth * sizeof(__u64);
  long taken = -EFAULT;
  if (record_config.kernel_stacks) taken = bpf_get_task_stack(task, blocked + 1, stack_bytes, 0);
  blocked->head.kernel_bytes = (__s32)taken;
  __u64 used = taken > 0 ? (__u64)taken : 0;
  if (used > stack_bytes) used = stack_bytes; /* the verifier does not know this bound */
  /* When the record does not fit, the kernel hands over what it has and visits this task again. So the task must not be
   * in the map yet. */
  if (bpf_seq_write(ctx->meta->seq, blocked, sizeof(*blocked) + used)) return 0;
  if (bpf_map_update_elem(&spans, &id, &fresh, BPF_NOEXIST)) return 0; /* on_switch has seen its next wait begin */

  if (task->on_cpu) { /* it came onto a CPU before it was in the map, so this wait is over */
    struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
    if (thread && thread->span.sent_ns) close_span(&thread->span);
  }
  return 0;
}

#endif
