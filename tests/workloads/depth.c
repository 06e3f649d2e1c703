/* depth N SECONDS: every user stack has N frames at its leaf end: main, N - 2 times dive, and bottom. Below main are
 * libc's own frames. */
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
