/* Code without references to other pages, so that it can run in another place. */
#include "workload.h"

__attribute__((noinline)) static void moved_inner(unsigned long turns) { WORK(turns); }
void moved_work(unsigned long turns) {
  for (int i = 0; i < 100; i++) moved_inner(turns);
}
