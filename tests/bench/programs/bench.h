/* What the benchmark's programs share. */
#ifndef PROFILE_BENCH_H
#define PROFILE_BENCH_H

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Nothing of a benchmark survives it, however it ends. */
static inline void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1); /* it ended before we could ask */
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

/* Tells the driver, which reads a line, that the load is up. */
static inline void say_ready(void) {
  puts("ready");
  fflush(stdout);
}

#endif
