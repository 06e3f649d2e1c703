/* Of off_cpu.bpf.c, which includes this behind its tables: the threads that are blocked as the run begins. Reads kernel
 * structures, so not of the lean variant. */
#ifndef PROFILE_BLOCKED_BPF_H
#define PROFILE_BLOCKED_BPF_H

/* The CPU that a task which does not run was on last. */
static __always_inline __u32 cpu_of(struct task_struct *task) {
  if (bpf_core_field_exists(task->thread_info.cpu)) return BPF_CORE_READ(task, thread_info.cpu);
  return BPF_CORE_READ((struct task_struct___before_5_16 *)task, cpu);
}

/* Whether the task, not necessarily the current one, is asked for; for filters that can be told of any task. */
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

/* What it takes to walk the task's user stack by tables, which user space does: this CPU has not its memory. */
static __always_inline void note_registers(struct blocked_task *blocked, struct task_struct *task, __u64 registers) {
  if (walk_config.mode == WALK_OFF || record_config.stream) return;
  struct walk *walk = this_walk();
  if (!walk || !take_walk(walk)) return;
  __u64 mm = 0;
  if (read_registers(walk, registers) == BEGUN && !READ_AT(mm, task, task_mm) && mm &&
      !READ_AT(blocked->start_stack, mm, mm_start_stack)) {
    blocked->ip = walk->pc;
    blocked->extra = walk->extra;
    __builtin_memcpy(blocked->registers, walk->innermost, sizeof(walk->innermost));
  }
  give_walk(walk);
}

/* The threads that are blocked as the run begins: nobody saw how they got there. User space walks their user stacks by
 * the registers and keeps both stacks, as if they had come through the ring buffer. */
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
  fresh.waits.away = 1;
  fresh.waits.is_kernel_thread = task->flags & PF_KTHREAD ? 1 : 0;
  bpf_probe_read_kernel_str(fresh.waits.name, sizeof(fresh.waits.name), task->comm);
  /* For waits whose beginning is not seen. */
  fresh.waits.span.key.tgid = fresh.waits.tgid;
  if (record_config.by_thread) fresh.waits.span.key.tid = fresh.waits.tid;
  if (record_config.by_cpu) fresh.waits.span.key.cpu = cpu_of(task);
  if (config.wall) fresh.waits.span.key.tag = PROFILE_TAG_OFF_CPU;
  __builtin_memcpy(fresh.waits.span.key.comm, fresh.waits.name, sizeof(fresh.waits.name));
  if (bpf_map_lookup_elem(&spans, &id)) return 0; /* its wait has been seen to begin */

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
  if (used > stack_bytes) used = stack_bytes; /* the verifier cannot know */
  /* What does not fit is not an error: the kernel hands over what there is and comes again for this task, which must
   * not have been noted then. */
  if (bpf_seq_write(ctx->meta->seq, blocked, sizeof(*blocked) + used)) return 0;
  if (bpf_map_update_elem(&spans, &id, &fresh, BPF_NOEXIST)) return 0; /* its next wait has been seen to begin */

  if (task->on_cpu) { /* it came onto a CPU before it stood in the map: this wait was over already */
    struct thread_waits *thread = bpf_map_lookup_elem(&spans, &id);
    if (thread && thread->span.sent_ns) close_span(&thread->span);
  }
  return 0;
}

#endif
