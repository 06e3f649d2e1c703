/* entry_of has a small frame and no frame pointer. liblarge.so has the same size, and its functions have the same
 * places, so only the content tells one library from the other. */
#include "workload.h"

__attribute__((noinline)) void leaf_small(void) { WORK(UNIT); }
void entry_of(void) {
  volatile char frame[200];
  frame[0] = 1;
  leaf_small();
  frame[sizeof(frame) - 1] = frame[0];
}
