/* Produces events without end for programs that follow processes. `storm maps FILE SECONDS` maps FILE's code at one
 * place again and again. `storm places FILE SECONDS` maps its first two pages at 10,000 places, each in turn. `storm
 * fork|thread|exec|comm SECONDS` makes processes, makes threads, executes itself, or changes its name. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "workload.h"

static void map_again(const char* path) {
  const int file = open(path, O_RDONLY);
  void* const place = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (file < 0 || place == MAP_FAILED) exit(1);
  while (goes_on) {
    if (mmap(place, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) exit(1);
  }
}

static void map_everywhere(const char* path) {
  enum { places = 10000 };
  const int file = open(path, O_RDONLY);
  /* A page between two places keeps them apart. */
  char* const first = mmap(0, places * 8192UL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (file < 0 || first == MAP_FAILED) exit(1);
  for (unsigned long round = 0; goes_on; round++) {
    for (unsigned long i = 0; i < places; i++) {
      void* const place = first + i * 8192;
      const off_t page = (off_t)(round % 2 * 4096);
      if (mmap(place, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, page) == MAP_FAILED) exit(1);
    }
    if (round == 0) {
      puts("mapped");
      fflush(stdout);
    }
  }
}

static void fork_again(void) {
  while (goes_on) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, 0, 0);
  }
}

static void* nothing(void* unused) { return unused; }

static void make_threads(void) {
  while (goes_on) {
    pthread_t thread;
    if (pthread_create(&thread, 0, nothing, 0) == 0) pthread_join(thread, 0);
  }
}

static void change_name(void) {
  for (unsigned number = 0; goes_on; number++) {
    char name[16];
    snprintf(name, sizeof name, "name%u", number % 10000);
    prctl(PR_SET_NAME, name);
  }
}

int main(int argc, char** argv) {
  const double seconds = seconds_of(argc, argv);
  if (argc < 3) return 2;
  /* The timer of the first image survives exec. */
  struct itimerval left;
  getitimer(ITIMER_REAL, &left);
  signal(SIGALRM, end_of_workload);
  if (left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0) end_after(seconds);
  if (strcmp(argv[1], "maps") == 0 && argc == 4) map_again(argv[2]);
  if (strcmp(argv[1], "places") == 0 && argc == 4) map_everywhere(argv[2]);
  if (strcmp(argv[1], "fork") == 0) fork_again();
  if (strcmp(argv[1], "thread") == 0) make_threads();
  if (strcmp(argv[1], "exec") == 0) execv("/proc/self/exe", argv);
  if (strcmp(argv[1], "comm") == 0) change_name();
  return 2;
}
