/* Tests rely on this: two processes pass a token to each other ROUNDS times; each sleeps until the other gives it.
 * `left` waits in left_waits and gives in left_gives, `right` likewise. So only one process ends a wait of the
 * other.
 *   token ROUNDS SECONDS */
#include "workload.h"

#include <sys/prctl.h>
#include <sys/wait.h>

static void left_waits(int from) {
  char token;
  if (read(from, &token, 1) != 1) exit(1);
}
static void left_gives(int to) {
  if (write(to, "", 1) != 1) exit(1);
}
static void right_waits(int from) {
  char token;
  if (read(from, &token, 1) != 1) exit(1);
}
static void right_gives(int to) {
  if (write(to, "", 1) != 1) exit(1);
}

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  int to[2], fro[2];
  if (argc != 3 || pipe(to) != 0 || pipe(fro) != 0) return 2;
  const long rounds = atol(argv[1]);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NAME, "right");
    close(to[1]); /* so that each process ends with the other */
    for (long i = 0; i < rounds; i++) {
      right_waits(to[0]);
      right_gives(fro[1]);
    }
    return 0;
  }
  prctl(PR_SET_NAME, "left");
  close(fro[1]);
  for (long i = 0; i < rounds; i++) {
    left_gives(to[1]);
    left_waits(fro[0]);
  }
  waitpid(child, NULL, 0);
}
