/* Calls the first COUNT of the 300,000 functions of functions.S in turn, in THREADS threads: `many_functions COUNT
 * THREADS`. */
#include <pthread.h>

#include "bench.h"

extern const char functions_start[];
extern const unsigned function_size;

static unsigned long count;

static void* call_all(void* unused) {
  for (;;) {
    for (unsigned long i = 0; i < count; i++) ((void (*)(void))(functions_start + i * function_size))();
  }
  return unused;
}

int main(int argc, char** argv) {
  die_with(getppid());
  if (argc != 3) return 2;
  count = strtoul(argv[1], NULL, 10);
  for (int i = atoi(argv[2]); i > 1; i--) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, call_all, NULL) != 0) return 1;
  }
  say_ready();
  call_all(NULL);
}
