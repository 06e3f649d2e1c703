/* THREADS threads, at most 32 at a time, each wait WAITS times for 0.2 ms at their own address in wait_alone, and
 * exit.
 *   crowd THREADS SECONDS */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <time.h>

#include "workload.h"

#define AT_A_TIME 32
#define WAITS 3

static const struct timespec brief = {0, 200 * 1000};

__attribute__((noinline)) void wait_alone(int* word) {
  KEEP_FRAME();
  for (int i = 0; i < WAITS; i++) call(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, 0, (long)&brief);
}
void* one_of_many(void* word) {
  wait_alone(word);
  return 0;
}

int main(int argc, char** argv) {
  pthread_t threads[AT_A_TIME];
  end_after(seconds_of(argc, argv));
  const long many = argc == 3 ? atol(argv[1]) : 0;
  int* words = calloc(many + 1, sizeof *words);
  if (many == 0 || !words) return 2;
  for (long i = 0; i < many + AT_A_TIME; i++) {
    if (i >= AT_A_TIME && i - AT_A_TIME < many) pthread_join(threads[i % AT_A_TIME], 0);
    if (i < many && pthread_create(&threads[i % AT_A_TIME], 0, one_of_many, words + i) != 0) return 1;
  }
  return 0;
}
