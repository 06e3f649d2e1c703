/* A loop with frame pointers below DEPTH calls, the load most figures are taken on: `chain DEPTH [CPU]`. */
#include "bench.h"

static volatile unsigned long turns;
static volatile int enough; /* never: but a compiler must not know */

static void spin(void) {
  while (!enough) turns = turns * 3 + 1;
}

static void descend(int depth) {
  if (depth <= 1) {
    spin();
  } else {
    descend(depth - 1);
  }
  turns++; /* something to come back for, so that the call stays a call */
}

int main(int argc, char** argv) {
  die_with(getppid());
  const int depth = argc > 1 ? atoi(argv[1]) : 1;
  if (argc > 2) run_on(atoi(argv[2]));
  say_ready();
  descend(depth - 2); /* below main, and spin() on top */
}
