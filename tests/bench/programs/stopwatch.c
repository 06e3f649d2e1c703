/* Runs a command and writes its costs, with those of its children, as one JSON object: `stopwatch RESULT [--first]
 * -- COMMAND...`. A small C program, because the kernel counts the memory of the forking process in the peak of the
 * executed program.
 * --first: also writes when the command's perf-event BPF program first ran, by the kernel's own run count. */
#include <bpf/bpf.h>
#include <dirent.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

/* Whether the process has this program open. Other processes may load programs at the same time. */
static int holds_program(pid_t process, unsigned id) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fdinfo", process);
  DIR* folder = opendir(path);
  if (!folder) return 0;
  int found = 0;
  for (struct dirent* entry; !found && (entry = readdir(folder));) {
    snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", process, entry->d_name);
    FILE* file = fopen(path, "re");
    if (!file) continue;
    char line[256];
    unsigned held = 0;
    while (!found && fgets(line, sizeof(line), file)) found = sscanf(line, "prog_id: %u", &held) == 1 && held == id;
    fclose(file);
  }
  closedir(folder);
  return found;
}

static int has_run(int program, unsigned* id) {
  struct bpf_prog_info info;
  memset(&info, 0, sizeof(info));
  unsigned length = sizeof(info);
  if (bpf_obj_get_info_by_fd(program, &info, &length) != 0) return 0;
  *id = info.id;
  return info.type == BPF_PROG_TYPE_PERF_EVENT && info.run_cnt > 0;
}

/* The time when a program of the process was first seen to have run; 0: none has. Looks at all programs newer than
 * `newest`. */
static unsigned long long first_run(pid_t process, unsigned newest) {
  for (unsigned id = newest; bpf_prog_get_next_id(id, &id) == 0;) {
    const int program = bpf_prog_get_fd_by_id(id);
    if (program < 0) continue;
    unsigned held;
    const int ran = has_run(program, &held);
    const unsigned long long now = now_ns();
    close(program);
    if (ran && holds_program(process, held)) return now;
  }
  return 0;
}

static unsigned newest_program(void) {
  unsigned id = 0;
  while (bpf_prog_get_next_id(id, &id) == 0) continue;
  return id;
}

int main(int argc, char** argv) {
  const pid_t driver = getppid();
  die_with(driver);
  if (argc < 4) return 2;
  const int want_first = strcmp(argv[2], "--first") == 0;
  char** command = argv + (want_first ? 4 : 3);
  if (want_first && bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) fail("BPF run-time statistics");
  unsigned newest = want_first ? newest_program() : 0;

  const pid_t self = getpid();
  const unsigned long long started = now_ns();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    die_with(self);
    execvp(command[0], command);
    fail(command[0]);
  }
  unsigned long long first = 0;
  int status;
  struct rusage usage;
  while (want_first && !first) {
    if (wait4(child, &status, WNOHANG, &usage) == child) goto ended;
    first = first_run(child, newest);
    usleep(100);
  }
  if (wait4(child, &status, 0, &usage) != child) fail("wait4");
ended:;
  const unsigned long long ended = now_ns();

  FILE* result = fopen(argv[1], "we");
  if (!result) fail(argv[1]);
  fprintf(result, "{\"started_ns\": %llu, \"wall_s\": %.6f, \"cpu_s\": %.6f, \"rss_mb\": %.3f", started,
          (double)(ended - started) / 1e9, seconds(usage.ru_utime) + seconds(usage.ru_stime),
          (double)usage.ru_maxrss / 1024);
  if (first) fprintf(result, ", \"first_ns\": %llu", first);
  fprintf(result, ", \"status\": %d}\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  if (fclose(result) != 0) fail(argv[1]);
  return 0;
}
