/* Allocates 500 pieces of 100 bytes per second, at fixed times. Ends after argv[1] seconds. */
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  const long turns = 500 * (argc > 1 ? strtol(argv[1], NULL, 10) : 10);
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (long i = 0; i < turns; i++) {
    next.tv_nsec += 2000000;
    if (next.tv_nsec >= 1000000000) {
      next.tv_nsec -= 1000000000;
      next.tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    void* volatile piece = malloc(100);
    free(piece);
  }
}
