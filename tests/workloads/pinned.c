/* pinned CPU SECONDS: the thread is named on_cpu_N and burns in burn_pinned, only on CPU N. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/prctl.h>

#include "workload.h"

void burn_pinned(void) {
  while (goes_on) WORK(UNIT);
}

int main(int argc, char** argv) {
  char name[16];
  cpu_set_t cpus;
  const int cpu = argc > 2 ? atoi(argv[1]) : 0;
  end_after(seconds_of(argc, argv));
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) return 1;
  snprintf(name, sizeof name, "on_cpu_%d", cpu);
  prctl(PR_SET_NAME, name);
  burn_pinned();
}
