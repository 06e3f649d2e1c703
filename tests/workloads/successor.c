/* Tests rely on this: a thread called `first` naps 10 times for 10 ms and gives up its id: it exits or, with `exec`,
 * it executes another program. Then a process called `second` gets that id and naps 10 times for 30 ms.
 * It prints "PID TID", and for each the milliseconds of its naps: "NAME MS". It exits with 3 where a process cannot
 * choose an id.
 *   successor exit|exec SECONDS */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "workload.h"

struct clone_arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size;
};

static void nap(const char* name, long milliseconds) {
  const struct timespec time = {0, milliseconds * 1000 * 1000};
  struct timespec began, ended;
  prctl(PR_SET_NAME, name);
  clock_gettime(CLOCK_MONOTONIC, &began);
  for (int i = 0; i < 10; i++) nanosleep(&time, 0);
  clock_gettime(CLOCK_MONOTONIC, &ended);
  printf("%s %ld\n", name, (ended.tv_sec - began.tv_sec) * 1000 + (ended.tv_nsec - began.tv_nsec) / 1000000);
  fflush(stdout);
}

/* As soon as the id is free. */
static int succeed(pid_t id) {
  struct clone_arguments arguments = {.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&id, .set_tid_size = 1};
  printf("%d %d\n", (int)getpid(), (int)id);
  fflush(stdout);
  for (int tries = 0; tries < 2000; tries++) {
    const long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) {
      nap("second", 30);
      _exit(0);
    }
    if (child == id) return waitpid((pid_t)child, 0, 0) == child ? 0 : 1;
    if (errno != EEXIST) return 3;
    usleep(1000);
  }
  return 3;
}

static pid_t own_id(void) { return (pid_t)syscall(SYS_gettid); }
static void* exits(void* id) {
  *(pid_t*)id = own_id();
  nap("first", 10);
  return 0;
}
static void* executes(void* unused) {
  char id[16];
  snprintf(id, sizeof id, "%d", (int)own_id());
  nap("first", 10);
  execl("/proc/self/exe", "successor", "id", id, "20", (char*)0);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  pid_t id = 0;
  end_after(seconds_of(argc, argv));
  if (argc == 4 && strcmp(argv[1], "id") == 0) return succeed(atoi(argv[2]));
  if (argc != 3) return 2;
  const int by_exec = strcmp(argv[1], "exec") == 0;
  if (pthread_create(&thread, 0, by_exec ? executes : exits, &id)) return 1;
  pthread_join(thread, 0);
  return succeed(id);
}
