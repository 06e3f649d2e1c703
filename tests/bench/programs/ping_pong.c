/* Two processes pass one byte back and forth through pipes, so that each always waits for the other: `ping_pong
 * DEPTH CPU CPU [SECONDS]`. On one CPU each pass is a switch between the two; on two CPUs it is one switch to the
 * idle task and one from it. Both block below DEPTH calls with frame pointers.
 * With SECONDS it prints the nanoseconds of a round. Without, it prints that it is ready and never ends. */
#include "batches.h"

static int from_other;
static int to_other;
static double for_seconds;
static volatile unsigned long returned;

static void give(void) {
  const char byte = 1;
  if (write(to_other, &byte, 1) != 1) _exit(0); /* the other process is gone */
}

static void take(void) {
  char byte;
  if (read(from_other, &byte, 1) != 1) _exit(0);
}

static void ping(int rounds) {
  for (int i = 0; i < rounds; i++) {
    give();
    take();
  }
}

static void pong(void) {
  for (;;) {
    take();
    give();
  }
}

static void play(void) {
  if (for_seconds < 0) {
    pong();
  } else if (for_seconds > 0) {
    print_ns_of_one(ping, 20, for_seconds);
  } else {
    for (;;) ping(1000);
  }
}

static void descend(int depth) {
  if (depth <= 1) {
    play();
  } else {
    descend(depth - 1);
  }
  returned++; /* work after the call, so that the call is no tail call */
}

int main(int argc, char** argv) {
  die_with(getppid());
  if (argc < 4) return 2;
  const int depth = atoi(argv[1]);
  int there[2];
  int back[2];
  if (pipe(there) != 0 || pipe(back) != 0) fail("pipe");

  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    die_with(self);
    run_on(atoi(argv[3]));
    from_other = there[0];
    to_other = back[1];
    for_seconds = -1;
    descend(depth);
  }
  run_on(atoi(argv[2]));
  from_other = back[0];
  to_other = there[1];
  for_seconds = argc > 4 ? atof(argv[4]) : 0;
  if (for_seconds == 0) say_ready();
  descend(depth);
  kill(child, SIGKILL);
  return 0;
}
