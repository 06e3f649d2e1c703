/* True of it: two processes hand a byte to and fro ROUNDS times and wait for it each time, which is a context switch
 * each when both are on one CPU. Prints how many switches the kernel counted of the two since main began, and before.
 *   ping_pong ROUNDS SECONDS */
#include "workload.h"

#include <sys/resource.h>
#include <sys/wait.h>

static void play(int from, int to, long rounds) {
  char byte = 0;
  for (long i = 0; i < rounds; i++) {
    if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1) exit(1);
  }
}

static long switches_of(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

int main(int argc, char** argv) {
  const long before = switches_of(RUSAGE_SELF);
  end_after(seconds_of(argc, argv));
  int to[2], fro[2];
  if (argc != 3 || pipe(to) != 0 || pipe(fro) != 0) return 2;
  const long rounds = atol(argv[1]);
  const pid_t child = fork();
  if (child == 0) {
    play(to[0], fro[1], rounds);
    return 0;
  }
  if (write(to[1], "", 1) != 1) return 1;
  play(fro[0], to[1], rounds);
  waitpid(child, NULL, 0);
  printf("%ld %ld\n", switches_of(RUSAGE_SELF) + switches_of(RUSAGE_CHILDREN) - before, before);
}
