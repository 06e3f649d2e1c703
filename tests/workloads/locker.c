/* locker [SECONDS] : a thread waits 20 times for a lock, which another thread then holds for at least 20 ms more,
 * and 10 times for a condition that comes after at least 10 ms. For each it prints the address, the count, and the
 * microseconds by its own clock: "lock 0x... 20 400123". With SECONDS another thread waits from the start for a lock
 * that is never released; "for_ever 0x..." is printed once it waits. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include "workload.h"

#define LOCKS 20
#define CONDITIONS 10

static long microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t for_ever = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static int word;
static int asked; /* number of words requested so far */

/* Waits for the other thread, which may be late on a busy machine. */
static const struct timespec moment = {0, 1000 * 1000};
static void until(const int* value, int wanted) {
  while (__atomic_load_n(value, __ATOMIC_ACQUIRE) != wanted) nanosleep(&moment, 0);
}

/* Waits until the thread sleeps in futex(): its earlier state only says what it will do next. */
static void until_waits(const int* thread) {
  char path[64], text[32];
  while (__atomic_load_n(thread, __ATOMIC_ACQUIRE) == 0) nanosleep(&moment, 0);
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", *thread);
  for (;;) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return; /* this kernel does not show it */
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0; /* "running" while it runs */
    if (strtol(text, 0, 10) == SYS_futex) return;
    nanosleep(&moment, 0);
  }
}
static int main_thread, waiting_thread;

__attribute__((noinline)) void hold_lock(void) {
  for (int i = 0; i < LOCKS; i++) {
    pthread_mutex_lock(&lock);
    pthread_barrier_wait(&held);
    until((const int*)&lock, 2); /* glibc's value when a thread waits */
    until_waits(&main_thread);
    usleep(20000);
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&held); /* the other thread has had it */
  }
}
void* holder(void* unused) {
  hold_lock();
  for (int i = 0; i < CONDITIONS; i++) {
    until(&asked, i + 1);
    until_waits(&main_thread);
    usleep(10000);
    __atomic_store_n(&word, i + 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
  }
  return unused;
}

__attribute__((noinline)) long wait_for_lock(void) {
  const long before = microseconds();
  pthread_mutex_lock(&lock);
  const long waited = microseconds() - before;
  pthread_mutex_unlock(&lock);
  return waited;
}
__attribute__((noinline)) long wait_for_word(void) {
  long waited = 0;
  for (int i = 0; i < CONDITIONS; i++) {
    const long before = microseconds();
    __atomic_store_n(&asked, i + 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == i) {
      syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, i, 0, 0, 0);
    }
    waited += microseconds() - before;
  }
  return waited;
}
void* waiter(void* unused) {
  __atomic_store_n(&waiting_thread, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
  pthread_mutex_lock(&for_ever);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  long waited = 0;
  main_thread = (int)syscall(SYS_gettid);
  end_after(argc > 1 ? seconds_of(argc, argv) : 600);
  if (argc > 1) {
    pthread_t other;
    pthread_mutex_lock(&for_ever);
    pthread_create(&other, 0, waiter, 0);
    until_waits(&waiting_thread);
    printf("for_ever %p\n", (void*)&for_ever);
    fflush(stdout);
  }
  pthread_barrier_init(&held, 0, 2);
  pthread_create(&thread, 0, holder, 0);
  for (int i = 0; i < LOCKS; i++) {
    pthread_barrier_wait(&held);
    waited += wait_for_lock();
    pthread_barrier_wait(&held);
  }
  printf("lock %p %d %ld\n", (void*)&lock, LOCKS, waited);
  printf("word %p %d %ld\n", (void*)&word, CONDITIONS, wait_for_word());
  fflush(stdout);
  pthread_join(thread, 0);
  if (argc > 1) {
    for (;;) pause();
  }
  return 0;
}
