/* True of it: it does nothing but ask for the time, which the kernel answers within the program, in its vDSO: the
 * coarse clock, which needs no hardware to be read there. */
#include <time.h>

#include "workload.h"

int main(int argc, char** argv) {
  struct timespec now;
  end_after(seconds_of(argc, argv));
  while (goes_on) clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
}
