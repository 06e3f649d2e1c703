/* Measures how long one of many equal actions takes on a busy machine. They are timed in batches shorter than a
 * scheduler's slice, and the lower quartile of the batches is the result, so that interrupted batches do not count. */
#ifndef PROFILE_BENCH_BATCHES_H
#define PROFILE_BENCH_BATCHES_H

#include "bench.h"

#define MOST_BATCHES (1 << 20)

static unsigned long long batches[MOST_BATCHES];

static inline int compare_batches(const void* left, const void* right) {
  const unsigned long long a = *(const unsigned long long*)left;
  const unsigned long long b = *(const unsigned long long*)right;
  return (a > b) - (a < b);
}

/* Repeats `one_batch` of `size` actions for so many seconds, and prints the nanoseconds of one action. */
static inline void print_ns_of_one(void (*one_batch)(int size), int size, double for_seconds) {
  const unsigned long long end = now_ns() + (unsigned long long)(for_seconds * 1e9);
  size_t count = 0;
  for (unsigned long long before = now_ns(); before < end && count < MOST_BATCHES;) {
    one_batch(size);
    const unsigned long long after = now_ns();
    batches[count++] = after - before;
    before = now_ns(); /* again, because the store may have touched a new page */
  }
  if (count == 0) exit(1);
  qsort(batches, count, sizeof(batches[0]), compare_batches);
  printf("%.1f\n", (double)batches[count / 4] / size);
}

#endif
