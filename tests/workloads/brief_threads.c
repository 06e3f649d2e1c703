/* brief_threads SECONDS. Makes a thread for each piece of work, one after the other. A thread computes for about a
 * millisecond in begin_piece;piece. Prints the CPU time of the process and that of its pieces, in microseconds. */
#include <pthread.h>

#include "workload.h"

static long long now_us(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static long long in_pieces_us;

__attribute__((noinline)) static void piece(unsigned long turns) { WORK(turns); }
static void* begin_piece(void* unused) {
  (void)unused;
  const long long began_us = now_us(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 40; i++) piece(next_unit());
  in_pieces_us += now_us(CLOCK_THREAD_CPUTIME_ID) - began_us; /* one thread at a time */
  return 0;
}

int main(int argc, char** argv) {
  const long long end_us = now_us(CLOCK_MONOTONIC) + (long long)(seconds_of(argc, argv) * 1e6);
  while (now_us(CLOCK_MONOTONIC) < end_us) {
    pthread_t thread;
    if (pthread_create(&thread, 0, begin_piece, 0)) return 1;
    pthread_join(thread, 0);
  }
  printf("%lld %lld\n", now_us(CLOCK_PROCESS_CPUTIME_ID), in_pieces_us);
  return 0;
}
