/* Without end and in turn it computes, calls getppid, allocates and frees memory, touches new pages, waits for a
 * futex that no thread wakes, and sleeps. Unless FILE is "-", it also writes a block of it to the device. This gives
 * each source something, in a function of its own. Its only other thread, `idler`, sleeps; with ROUNDS it ends after
 * so many.
 * `busybody FILE [ROUNDS] SECONDS` */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "workload.h"

static const struct timespec millisecond = {0, 1000 * 1000};

__attribute__((noinline)) void compute(void) {
  for (int i = 0; i < 60; i++) WORK(UNIT);
}
__attribute__((noinline)) void ask(void) {
  KEEP_FRAME();
  for (int i = 0; i < 10; i++) call(SYS_getppid, 0, 0, 0, 0);
}
__attribute__((noinline)) void allocate(void) {
  KEEP_FRAME();
  for (int i = 0; i < 10; i++) {
    void* volatile memory = malloc(1000);
    free(memory);
  }
}
__attribute__((noinline)) void touch(void) {
  KEEP_FRAME();
  char* pages = mmap(0, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) exit(1);
  for (int i = 0; i < 16; i++) pages[i * 4096] = 1;
  munmap(pages, 16 * 4096);
}
__attribute__((noinline)) void await(void) {
  static int word;
  KEEP_FRAME();
  call(SYS_futex, (long)&word, FUTEX_WAIT, 0, (long)&millisecond);
}
__attribute__((noinline)) void rest(void) {
  KEEP_FRAME();
  call(SYS_nanosleep, (long)&millisecond, 0, 0, 0);
}
__attribute__((noinline)) void store(int file) {
  static char block[4096];
  KEEP_FRAME();
  if (file < 0) return;
  call(SYS_pwrite64, file, (long)block, sizeof block, 0);
  call(SYS_fdatasync, file, 0, 0, 0);
}

static void* idle(void* unused) {
  pthread_setname_np(pthread_self(), "idler");
  while (goes_on) nanosleep(&millisecond, 0);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t idler;
  if (argc != 3 && argc != 4) return 2;
  end_after(seconds_of(argc, argv));
  long rounds = argc == 4 ? atol(argv[2]) : -1;
  const int file = argv[1][0] == '-' ? -1 : open(argv[1], O_WRONLY | O_CREAT, 0600);
  if (pthread_create(&idler, 0, idle, 0)) return 1;
  while (goes_on && rounds-- != 0) {
    compute();
    ask();
    allocate();
    touch();
    await();
    rest();
    store(file);
  }
}
