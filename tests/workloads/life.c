/* True of it: a third of its time each before main (before_main), in main (within_main) and after main (after_main):
 * who samples it from the first instruction to the last sees 1:1:1. SECONDS is not asked for: it is 0.3 all in all. */
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
