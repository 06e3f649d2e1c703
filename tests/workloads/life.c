/* Spends a third of its CPU time each before main (before_main), in main (within_main) and after main (after_main):
 * a complete profile shows 1:1:1. It takes no SECONDS and runs for 0.3 s of CPU time. */
#include <time.h>

#include "workload.h"

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((constructor)) void before_main(void) {
  end_after(600);
  while (processor_seconds() < 0.1) WORK(UNIT);
}
int within_main(void) {
  while (processor_seconds() < 0.2) WORK(UNIT);
  return 0;
}
__attribute__((destructor)) void after_main(void) {
  while (processor_seconds() < 0.3) WORK(UNIT);
}

int main(void) { return within_main(); }
