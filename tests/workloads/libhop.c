/* Each copy of this library calls the next one, without a frame pointer: see hops.c. */
#include "workload.h"

typedef void Hop(void* const* ring, long length, long at, long left);

void hop(void* const* ring, long length, long at, long left) {
  if (left == 0) {
    WORK(100 * UNIT); /* long against the way there, so that hardly a sample falls on that */
    return;
  }
  Hop* next;
  memcpy(&next, &ring[(at + 1) % length], sizeof next);
  next(ring, length, (at + 1) % length, left - 1);
  __asm__ volatile("" ::: "memory"); /* so that the call is not the function's last act */
}
