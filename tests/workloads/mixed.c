/* One thread computes (compute) and rests (rest_a_while) in turn. At the end it prints its whole time and its CPU
 * time, in microseconds. `mixed SECONDS` */
#define _GNU_SOURCE
#include <time.h>

#include "workload.h"

static long microseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

__attribute__((noinline)) void compute(void) {
  const long end = microseconds(CLOCK_MONOTONIC) + 7000;
  while (microseconds(CLOCK_MONOTONIC) < end) WORK(UNIT);
}

__attribute__((noinline)) void rest_a_while(void) {
  const struct timespec rest = {0, 9 * 1000 * 1000};
  KEEP_FRAME();
  nanosleep(&rest, 0);
}

int main(int argc, char** argv) {
  const long length = (long)(seconds_of(argc, argv) * 1e6);
  const long begin = microseconds(CLOCK_MONOTONIC);
  while (microseconds(CLOCK_MONOTONIC) - begin < length) {
    compute();
    rest_a_while();
  }
  printf("%ld %ld\n", microseconds(CLOCK_MONOTONIC) - begin, microseconds(CLOCK_PROCESS_CPUTIME_ID));
}
