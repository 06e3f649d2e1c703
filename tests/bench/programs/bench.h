/* What the benchmark's programs share. */
#ifndef PROFILE_BENCH_H
#define PROFILE_BENCH_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
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

/* Tells the driver, which reads a line, that the load is up. */
static inline void say_ready(void) {
  puts("ready");
  fflush(stdout);
}

#endif
