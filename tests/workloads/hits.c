/* hits [TIMES] : calls framed_target and bare_target (which has no frame) known numbers of times. TIMES (1) times
 * each: 300 from first_caller, 200 from second_caller and 100 from thread_caller on each of two more threads. `hits
 * TIMES SECONDS` repeats this until its end. */
#include <pthread.h>

#include "workload.h"

/* Data, not a function. */
int target_of_data = 1;
static volatile int sink;

__attribute__((noinline)) void framed_target(void) {
  KEEP_FRAME();
  sink = sink + 1;
}
__attribute__((noinline, optimize("omit-frame-pointer"))) void bare_target(void) { sink = sink + 2; }

__attribute__((noinline)) void first_caller(int times) {
  for (int i = 0; i < 300 * times; i++) {
    framed_target();
    bare_target();
  }
}
__attribute__((noinline)) void second_caller(int times) {
  for (int i = 0; i < 200 * times; i++) {
    framed_target();
    bare_target();
  }
}
static int thread_times;
__attribute__((noinline)) void* thread_caller(void* unused) {
  for (int i = 0; i < 100 * thread_times; i++) {
    framed_target();
    bare_target();
  }
  return unused;
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  pthread_t threads[2];
  if (argc > 2) end_after(seconds_of(argc, argv));
  thread_times = times;
  for (int round = 0; round == 0 || argc > 2; round++) {
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, thread_caller, 0);
    first_caller(times);
    second_caller(times);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    if (argc > 2) usleep(1000);
  }
  return target_of_data - 1;
}
