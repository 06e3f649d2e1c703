/* rivals SECONDS: two ordinary threads, and two that take the CPU from them a thousand times a second where the kernel
 * lets them (SCHED_FIFO, so it must run as root). Each calls ask() again and again, which makes one call of getppid,
 * and now and then wait_once(), which waits for a futex until its time is over. At the end it prints how often each was
 * called: "ask N" and "wait_once N". */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include "workload.h"

#define THREADS 4
static struct counts { unsigned long asked, waited; } counts[THREADS];
static double end;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noinline)) void ask(void) {
  KEEP_FRAME();
  call(SYS_getppid, 0, 0, 0, 0);
}
__attribute__((noinline)) void wait_once(void) {
  static int word;
  static const struct timespec most = {0, 200 * 1000};
  KEEP_FRAME();
  call(SYS_futex, (long)&word, FUTEX_WAIT, 0, (long)&most);
}

static void* work(void* argument) {
  const long number = (long)argument;
  const int is_ahead = number >= THREADS / 2;
  const struct timespec rest = {0, 700 * 1000};
  const struct sched_param priority = {.sched_priority = 10 + (int)number};
  if (is_ahead && pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority)) perror("SCHED_FIFO");
  while (now() < end) {
    for (int i = 0; i < (is_ahead ? 5 : 50); i++, counts[number].asked++) ask();
    wait_once();
    counts[number].waited++;
    if (is_ahead) nanosleep(&rest, 0);
  }
  return 0;
}

int main(int argc, char** argv) {
  pthread_t threads[THREADS];
  struct counts all = {0, 0};
  end = now() + seconds_of(argc, argv);
  for (long i = 0; i < THREADS; i++) {
    if (pthread_create(&threads[i], 0, work, (void*)i)) return 1;
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], 0);
    all.asked += counts[i].asked;
    all.waited += counts[i].waited;
  }
  printf("ask %lu\nwait_once %lu\n", all.asked, all.waited);
  return 0;
}
