/* Four processes burn at the same time, each for the same time: the parent in burn_parent, its child in burn_child,
 * the child's child in burn_grandchild. Another child executes this program again and is in burn_stranger, thread
 * `stranger`. The parent waits for its children and exits with 0. */
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "workload.h"

static volatile sig_atomic_t is_time;
static void time_is_up(int number) {
  (void)number;
  is_time = 1;
}

void burn_parent(void) {
  while (!is_time) WORK(UNIT);
}
void burn_child(void) {
  while (goes_on) WORK(UNIT);
}
void burn_grandchild(void) {
  while (goes_on) WORK(UNIT);
}
void burn_stranger(void) {
  while (goes_on) WORK(UNIT);
}

int main(int argc, char** argv) {
  const double seconds = seconds_of(argc, argv);
  end_after(seconds);
  if (argc > 2) {
    prctl(PR_SET_NAME, "stranger");
    burn_stranger();
  }
  if (fork() == 0) {
    const int is_grandchild = fork() == 0;
    end_after(seconds);
    if (is_grandchild) burn_grandchild();
    burn_child();
  }
  if (fork() == 0) {
    execl("/proc/self/exe", argv[0], "stranger", argv[1], (char*)0);
    _exit(1);
  }
  signal(clock_of_end == ITIMER_PROF ? SIGPROF : SIGALRM, time_is_up);
  burn_parent();
  while (wait(0) > 0) {
  }
  return 0;
}
