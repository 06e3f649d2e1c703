/* As libsmall.c, with a large frame. */
#include "workload.h"

__attribute__((noinline)) void leaf_large(void) { WORK(UNIT); }
void entry_of(void) {
  volatile char frame[3000];
  frame[0] = 1;
  leaf_large();
  frame[sizeof(frame) - 1] = frame[0];
}
