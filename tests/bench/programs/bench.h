/* The part that the benchmark's programs share. */
#ifndef PROFILE_BENCH_H
#define PROFILE_BENCH_H

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Ends this process with its parent, so that no process of a benchmark is left behind. */
static inline void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1); /* the parent ended before the call */
}

static inline void fail(const char* what) {
  perror(what);
  exit(1);
}

static inline void run_on(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) fail("sched_setaffinity");
}

static inline unsigned long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000ULL + (unsigned long long)now.tv_nsec;
}

/* The driver waits for this line. */
static inline void say_ready(void) {
  puts("ready");
  fflush(stdout);
}

#endif
