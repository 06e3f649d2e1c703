/* COUNT processes that do nothing, to measure what their existence costs a profiler: `sleepers COUNT`. After SIGINT
 * or SIGTERM it first ends all of them, so that they do not disturb later measurements. */
#include <sys/wait.h>

#include "bench.h"

int main(int argc, char** argv) {
  die_with(getppid());
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  sigprocmask(SIG_BLOCK, &ending, NULL);

  const int count = argc > 1 ? atoi(argv[1]) : 1;
  pid_t* children = calloc((size_t)count, sizeof(*children));
  if (!children) fail("calloc");
  const pid_t self = getpid();
  for (int i = 0; i < count; i++) {
    children[i] = fork();
    if (children[i] < 0) fail("fork");
    if (children[i] == 0) {
      die_with(self);
      for (;;) pause();
    }
  }
  say_ready();
  int signal;
  sigwait(&ending, &signal);
  for (int i = 0; i < count; i++) kill(children[i], SIGKILL);
  while (wait(NULL) > 0) continue;
}
