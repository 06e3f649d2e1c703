/* Attaches one program of walk.bpf.o to the clock of every online CPU, as a profiler does, and lets the kernel
 * measure it: `walk OBJECT PROGRAM HERTZ`. `walk` alone only turns on the kernel's BPF run-time statistics, for the
 * other tools; the kernel turns them off when this program ends. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "bench.h"

static int open_clock(int cpu, unsigned long long hertz) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof(attr));
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.freq = 1;
  attr.sample_freq = hertz;
  return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void attach(const char* object_path, const char* name, unsigned long long hertz) {
  struct bpf_object* object = bpf_object__open_file(object_path, NULL);
  if (!object) fail(object_path);
  struct bpf_program* program;
  bpf_object__for_each_program(program, object) {
    bpf_program__set_autoload(program, strcmp(bpf_program__name(program), name) == 0);
  }
  if (bpf_object__load(object) != 0) fail("loading the walk");
  program = bpf_object__find_program_by_name(object, name);
  if (!program) fail(name);

  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  for (int cpu = 0; cpu < cpus; cpu++) {
    const int event = open_clock(cpu, hertz);
    if (event < 0) continue; /* not online */
    if (!bpf_program__attach_perf_event(program, event)) fail("attaching the walk");
  }
}

int main(int argc, char** argv) {
  die_with(getppid());
  if (argc != 1 && argc != 4) return 2;
  if (bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) fail("BPF run-time statistics");
  if (argc == 4) attach(argv[1], argv[2], strtoull(argv[3], NULL, 10));
  say_ready();
  for (;;) pause();
}
