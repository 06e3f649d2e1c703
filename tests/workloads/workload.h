/* The part that all workloads share: work of a known cost, and an end that always comes, whatever happens to the
 * test. */
#ifndef PROFILE_TEST_WORKLOAD_H
#define PROFILE_TEST_WORKLOAD_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Even with frame pointers, a compiler makes no frame for a leaf that needs none, unless the leaf asks for its
 * frame. */
#define KEEP_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))

/* Burns `turns` turns of a loop in the function that uses it, without a call. Each turn waits for the one before, so
 * the cost does not depend on where the loop lies in memory. */
#define WORK(turns)                                        \
  do {                                                     \
    unsigned long product = 1;                             \
    KEEP_FRAME();                                          \
    for (unsigned long turn = 0; turn < (turns); turn++) { \
      product *= 0x9E3779B97F4A7C15UL;                     \
      __asm__ volatile("" : "+r"(product));                \
    }                                                      \
  } while (0)

/* Some ten microseconds: short against the time between two samples, so that loops and samples do not run in step. */
#define UNIT 5000UL

/* For functions whose costs are compared: on some CPUs a loop that crosses a border of cache lines is slower. */
#define ALIGNED __attribute__((aligned(64)))

/* From a half to three halves of UNIT, different each time. Loops of a fixed length can run in step with the samples
 * for a second, and then one of them gets more than its share. */
__attribute__((always_inline, unused)) static inline unsigned long next_unit(void) {
  static unsigned long state = 1;
  state = state * 6364136223846793005UL + 1442695040888963407UL; /* Knuth, MMIX */
  return UNIT / 2 + (state >> 33) % UNIT;
}

/* Always 1, but the compiler cannot know that. So a loop on it has an end, and the compiler keeps the code after it. */
__attribute__((unused)) static volatile int goes_on = 1;

static void end_of_workload(int number) {
  (void)number;
  _exit(0);
}

/* The clock of end_after(): real time, or the CPU time of the process. */
static int clock_of_end = ITIMER_REAL;

/* A workload that computes only a part of the time rests after each five milliseconds of work, to keep to that part. */
#define TURN_US 5000L
static long parts = 1;
static void rest_of_turns(int number) {
  const struct timespec rest = {0, (parts - 1) * TURN_US * 1000};
  (void)number;
  nanosleep(&rest, 0);
}

/* This process exits with 0 after so many seconds. A child must call it again; the timer stays set over exec. */
__attribute__((unused)) static void end_after(double seconds) {
  struct itimerval time = {{0, 0}, {0, 0}};
  time.it_value.tv_sec = (long)seconds;
  time.it_value.tv_usec = (long)((seconds - (double)(long)seconds) * 1e6);
  signal(clock_of_end == ITIMER_PROF ? SIGPROF : SIGALRM, end_of_workload);
  setitimer(clock_of_end, &time, 0);
  if (parts > 1) {
    const struct itimerval turn = {{0, TURN_US}, {0, TURN_US}};
    signal(SIGPROF, rest_of_turns);
    setitimer(ITIMER_PROF, &turn, 0);
  }
}

/* The last argument of every workload is its time in seconds, at most 1200 (in a guest). "0.5cpu" is half a second
 * of its CPU time, so its work is the same on a busy machine. "600/4" is 600 seconds in which it computes at most a
 * quarter of the time. */
__attribute__((unused)) static double seconds_of(int argc, char** argv) {
  static char nothing[] = "";
  char* rest = nothing;
  const double seconds = argc > 1 ? strtod(argv[argc - 1], &rest) : 0;
  if (strcmp(rest, "cpu") == 0) {
    clock_of_end = ITIMER_PROF;
    rest = nothing;
  } else if (*rest == '/') {
    parts = strtol(rest + 1, &rest, 10);
    if (parts < 1 || parts > 100) *rest = '?';
  }
  if (seconds > 0 && seconds <= 1200 && *rest == 0) return seconds;
  fprintf(stderr, "usage: %s [...] SECONDS[cpu|/PARTS]\n", argv[0]);
  exit(2);
}

/* A system call without libc: libc's functions have no frame of their own, which hides their caller. */
__attribute__((always_inline, unused)) static inline long call(long number, long a, long b, long c, long d) {
#ifdef __x86_64__
  register long fourth __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long kind __asm__("x8") = number;
  register long result __asm__("x0") = a;
  register long second __asm__("x1") = b;
  register long third __asm__("x2") = c;
  register long fourth __asm__("x3") = d;
  __asm__ volatile("svc #0" : "+r"(result) : "r"(kind), "r"(second), "r"(third), "r"(fourth) : "memory");
  return result;
#else
  return syscall(number, a, b, c, d, 0, 0);
#endif
}

#endif
