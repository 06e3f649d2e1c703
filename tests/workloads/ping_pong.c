/* Tests rely on this: two processes pass a byte to each other ROUNDS times and wait for it each time. On one CPU
 * each wait is a context switch. It prints how many switches of the two the kernel counted since main began, and
 * before.
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
