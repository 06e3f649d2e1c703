/* Loads the libraries FILE.0 to FILE.7 in turn, calls the function `top` in each for US microseconds of CPU time, and
 * unloads it again: `reloads FILE US [late] SECONDS`. They are as large as each other, so all of them lie at one
 * address. With `late`, the first call takes 50 ms and the second 1.6 s: when the others come, the first library has
 * been away for long. */
#include <dlfcn.h>

#include "workload.h"

typedef void Top(unsigned long turns);

static unsigned long cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (unsigned long)now.tv_sec * 1000000 + (unsigned long)now.tv_nsec / 1000;
}

/* One caller for all, so that nothing but the library's own frames tells which of them it is. The clock may cost as
 * much as a thousand turns, so it is read some ten times. */
void run_library(Top* top, unsigned long us) {
  for (const unsigned long end = cpu_us() + us; cpu_us() < end;) top(us * 70);
  KEEP_FRAME();
}

int main(int argc, char** argv) {
  char path[4096];
  end_after(seconds_of(argc, argv));
  if (argc != 4 && argc != 5) return 2;
  const unsigned long us = strtoul(argv[2], 0, 10), first_us[] = {50000, 1600000};
  for (unsigned long at = 0; goes_on; at++) {
    snprintf(path, sizeof path, "%s.%lu", argv[1], at % 8);
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    Top* top;
    void* const found = library ? dlsym(library, "top") : 0;
    if (!found) return 1;
    memcpy(&top, &found, sizeof top);
    run_library(top, argc == 5 && at < 2 ? first_us[at] : us);
    dlclose(library);
  }
}
