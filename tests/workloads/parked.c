/* The second thread is blocked for ever in main_of_parked;park. Its stack is a mapping of FILE, without any page in
 * memory after it has printed "parked", so a reader of that stack must ask the file system. `parked FILE SECONDS` */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include "workload.h"

enum { STACK = 256 * 1024 };

__attribute__((noinline)) void park(void) {
  KEEP_FRAME();
  for (;;) call(SYS_ppoll, 0, 0, 0, 0);
}

static void* main_of_parked(void* nothing) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, 0); /* no signal may wake it, because its stack is gone */
  park();
  return nothing;
}

int main(int argc, char** argv) {
  pthread_t thread;
  pthread_attr_t attributes;
  end_after(seconds_of(argc, argv));
  if (argc != 3) return 2;
  const int file = open(argv[1], O_RDONLY);
  void* const stack = mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (file < 0 || stack == MAP_FAILED) return 1;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstack(&attributes, stack, STACK) || pthread_create(&thread, &attributes, main_of_parked, 0))
    return 1;
  usleep(200000);
  if (madvise(stack, STACK, MADV_DONTNEED) || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)) return 1;
  dprintf(1, "parked\n");
  for (;;) pause();
}
