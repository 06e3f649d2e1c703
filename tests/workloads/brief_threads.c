/* brief_threads SECONDS. Makes a thread for each piece of work, one after the other. A thread computes for about a
 * millisecond in begin_piece;piece. Prints the CPU time of the process, that of its pieces, and for how long all of its
 * threads have lived together, in microseconds. */
#include <pthread.h>

#include "workload.h"

static long long now_us(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static long long in_pieces_us, in_threads_us, lived_us;

__attribute__((noinline)) static void piece(unsigned long turns) { WORK(turns); }
static void* begin_piece(void* unused) {
  (void)unused;
  /* The clock of the thread begins with it, so this is when the thread began, but for waits. */
  const long long at_us = now_us(CLOCK_MONOTONIC), began_us = now_us(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 40; i++) piece(next_unit());
  const long long ended_us = now_us(CLOCK_THREAD_CPUTIME_ID);
  in_pieces_us += ended_us - began_us; /* one thread at a time */
  in_threads_us += ended_us;
  lived_us += now_us(CLOCK_MONOTONIC) - at_us + began_us;
  return 0;
}

int main(int argc, char** argv) {
  const long long at_us = now_us(CLOCK_MONOTONIC), end_us = at_us + (long long)(seconds_of(argc, argv) * 1e6);
  while (now_us(CLOCK_MONOTONIC) < end_us) {
    pthread_t thread;
    if (pthread_create(&thread, 0, begin_piece, 0)) return 1;
    pthread_join(thread, 0);
  }
  const long long cpu_us = now_us(CLOCK_PROCESS_CPUTIME_ID);
  const long long in_ends_us = cpu_us - now_us(CLOCK_THREAD_CPUTIME_ID) - in_threads_us;
  printf("%lld %lld %lld\n", cpu_us, in_pieces_us, now_us(CLOCK_MONOTONIC) - at_us + lived_us + in_ends_us);
  return 0;
}
