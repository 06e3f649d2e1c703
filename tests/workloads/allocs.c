/* allocs [TIMES] : requests known numbers of bytes from its own functions, TIMES (1) times:
 *   by_malloc      100 times 1000 bytes; every tenth is kept
 *   by_calloc       50 times 20 * 30 bytes, all freed
 *   by_realloc      40 times 64 bytes from nothing, then 256, 200,000 and 400 bytes; the last is kept
 *   by_memalign     30 times posix_memalign of 512 bytes, kept, and aligned_alloc of 1024 bytes, freed
 *   by_strdup       20 times a copy of 99 characters, kept
 * Then a child requests 70 times 10,000 bytes, which only its end frees. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "workload.h"

static void* volatile kept;

__attribute__((noinline)) void by_malloc(int times) {
  for (int i = 0; i < 100 * times; i++) {
    kept = malloc(1000);
    if (i % 10) free(kept);
  }
}
__attribute__((noinline)) void by_calloc(int times) {
  for (int i = 0; i < 50 * times; i++) {
    kept = calloc(20, 30);
    free(kept);
  }
}
/* Through a pointer, so that the compiler does not replace it by malloc. */
static void* volatile nothing = 0;
__attribute__((noinline)) void by_realloc(int times) {
  for (int i = 0; i < 40 * times; i++) {
    kept = realloc(nothing, 64);
    kept = realloc(kept, 256);
    kept = realloc(kept, 200000);
    kept = realloc(kept, 400);
  }
}
__attribute__((noinline)) void by_memalign(int times) {
  for (int i = 0; i < 30 * times; i++) {
    void* memory = 0;
    if (posix_memalign(&memory, 64, 512)) _exit(1);
    kept = memory;
    kept = aligned_alloc(i % 2 ? 256 : 16, 1024);
    free(kept);
  }
}
__attribute__((noinline)) void by_strdup(int times) {
  char text[100];
  memset(text, 'x', 99);
  text[99] = 0;
  for (int i = 0; i < 20 * times; i++) kept = strdup(text);
}
__attribute__((noinline)) void by_child(int times) {
  for (int i = 0; i < 70 * times; i++) kept = malloc(10000);
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  by_malloc(times);
  by_calloc(times);
  by_realloc(times);
  by_memalign(times);
  by_strdup(times);
  const pid_t child = fork();
  if (child == 0) {
    by_child(times);
    _exit(0);
  }
  waitpid(child, 0, 0);
  if (argc > 2) {
    puts("done");
    fflush(stdout);
    end_after(seconds_of(argc, argv));
    pause();
  }
  return 0;
}
