/* Records the arguments of each program when it begins (--command-lines), because many end before anybody could read
 * them in /proc. */
#include "abi/command_line.h"
#include "map.bpf.h"
#include "tasks.bpf.h"
/* This header needs the types above. */
#include <bpf/bpf_tracing.h>

SEC(".rodata.command_line") const volatile struct command_line_config config = {};
SEC(".data.command_line") struct command_line_state state = {};

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4 << 20);
} lines SEC(".maps");

MAP(scratch, PERCPU_ARRAY, 0, __u32, struct exec_line, 1);

SEC("raw_tp/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task) {
  const __u32 zero = 0;
  struct exec_line *line = bpf_map_lookup_elem(&scratch, &zero);
  if (!line) return 0;
  const __u64 begin = BPF_CORE_READ(task, mm, arg_start), end = BPF_CORE_READ(task, mm, arg_end);
  if (end <= begin) return 0; /* no arguments: the name of the process is all that there is */
  __u64 bytes = end - begin;
  if (bytes > PROFILE_COMMAND_LINE_BYTES) bytes = PROFILE_COMMAND_LINE_BYTES;
  line->time_ns = bpf_ktime_get_ns();
  line->tgid = config.pid_namespace ? ids_in(task, config.pid_namespace) >> 32 : BPF_CORE_READ(task, tgid);
  /* The kernel has just written these pages, so they are there. */
  if (bpf_probe_read_user(line->text, bytes, (const void *)begin) ||
      bpf_ringbuf_output(&lines, line, offsetof(struct exec_line, text) + bytes, 0)) {
    __sync_fetch_and_add(&state.lost, 1);
  }
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
