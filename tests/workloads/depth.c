/* depth N SECONDS. True of it: every user stack ends in N frames: main, N - 2 times dive, and bottom. Below main stands
 * what libc puts there. */
#include "workload.h"

void bottom(void) {
  while (goes_on) WORK(UNIT);
}
void dive(int levels) {
  if (levels > 1)
    dive(levels - 1);
  else
    bottom();
}

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  dive(atoi(argv[1]) - 2);
}
