/* A process of which the kernel tells little. It works in main_of_odd until it has used a tenth of a second of CPU
 * time. Then FILE, a copy of libhop.so, is loaded, and from then on every user stack is main_of_odd;hop;hop.
 * `odd_process shared FILE SECONDS`: a process of its own that shares the memory of the first one, which loads FILE.
 * `odd_process headless FILE SECONDS`: a thread whose process's first thread has ended. Prints the process's number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "workload.h"

typedef void Hop(void* const* ring, long length, long at, long left);

static const char* path;
static double seconds;
static void* volatile found;
static volatile int is_ready;

static void load(void) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library || !(found = dlsym(library, "hop"))) _exit(1);
}

static int main_of_odd(void* loads) {
  const clock_t soon = clock() + CLOCKS_PER_SEC / 10;
  prctl(PR_SET_NAME, "odd");
  end_after(seconds);
  while (clock() < soon) WORK(UNIT);
  is_ready = 1;
  if (loads) load();
  while (!found) WORK(UNIT);
  void* const ring[1] = {found};
  Hop* first;
  memcpy(&first, ring, sizeof first);
  while (goes_on) first(ring, 1, 0, 1);
  return 0;
}

static void* main_of_thread(void* unused) {
  (void)unused;
  struct timespec moment = {0, 100000000};
  nanosleep(&moment, 0); /* the first thread ends */
  main_of_odd(&moment);
  return 0;
}

int main(int argc, char** argv) {
  enum { STACK = 1 << 20 };
  seconds = seconds_of(argc, argv);
  if (argc != 4) return 2;
  path = argv[2];
  end_after(seconds);
  if (strcmp(argv[1], "headless") == 0) {
    pthread_t thread;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    if (pthread_create(&thread, 0, main_of_thread, 0) != 0) return 1;
    pthread_exit(0);
  }
  char* const stack = mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return 1;
  const int child = clone(main_of_odd, stack + STACK, CLONE_VM | SIGCHLD, 0);
  if (child < 0) return 1;
  printf("%d\n", child);
  fflush(stdout);
  while (!is_ready) usleep(10000);
  load();
  for (;;) pause();
}
