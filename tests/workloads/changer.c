/* Burns half of its time in before_exec, thread `before`. After that it executes itself and burns in after_exec,
 * thread `after`: one process, two images. */
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "workload.h"

static volatile sig_atomic_t is_time;
static void time_is_up(int number) {
  (void)number;
  is_time = 1;
}

void before_exec(void) {
  while (!is_time) WORK(UNIT);
}
void after_exec(void) {
  while (goes_on) WORK(UNIT);
}

int main(int argc, char** argv) {
  const double seconds = seconds_of(argc, argv);
  end_after(seconds / 2);
  if (argc > 2) {
    prctl(PR_SET_NAME, "after");
    after_exec();
  }
  prctl(PR_SET_NAME, "before");
  signal(clock_of_end == ITIMER_PROF ? SIGPROF : SIGALRM, time_is_up);
  before_exec();
  execl("/proc/self/exe", argv[0], "again", argv[1], (char*)0);
  return 1;
}
