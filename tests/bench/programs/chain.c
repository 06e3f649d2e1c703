/* A loop below DEPTH calls with frame pointers. Most figures are measured on this load: `chain DEPTH [CPU]`. */
#include "bench.h"

static volatile unsigned long turns;
static volatile int enough; /* always 0, but the compiler must not know it */

static void spin(void) {
  while (!enough) turns = turns * 3 + 1;
}

static void descend(int depth) {
  if (depth <= 1) {
    spin();
  } else {
    descend(depth - 1);
  }
  turns++; /* work after the call, so that the call is no tail call */
}

int main(int argc, char** argv) {
  die_with(getppid());
  const int depth = argc > 1 ? atoi(argv[1]) : 1;
  if (argc > 2) run_on(atoi(argv[2]));
  say_ready();
  descend(depth - 2); /* main and spin() are the other two calls */
}
