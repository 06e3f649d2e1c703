/* COUNT processes that do nothing, for what their mere presence costs a profiler: `sleepers COUNT`. */
#include "bench.h"

int main(int argc, char** argv) {
  die_with(getppid());
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  const pid_t self = getpid();
  for (int i = 0; i < count; i++) {
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      die_with(self);
      for (;;) pause();
    }
  }
  say_ready();
  for (;;) pause();
}
