/* moved SECONDS. Loads libmovable.so, runs its code for a tenth of a second, moves that page with mremap(2), and runs
 * it there, so that every stack is main;moved_work;moved_inner. The library is in the directory of the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "workload.h"

int main(int argc, char** argv) {
  const double seconds = seconds_of(argc, argv);
  char path[4096];
  snprintf(path, sizeof(path), "%.*slibmovable.so", (int)(strrchr(argv[0], '/') + 1 - argv[0]), argv[0]);
  void* const library = dlopen(path, RTLD_NOW);
  if (!library) return 1;
  const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  void (*moved_work)(unsigned long) = (void (*)(unsigned long))dlsym(library, "moved_work");
  for (const clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;) moved_work(next_unit());
  const uintptr_t work = (uintptr_t)moved_work, page = work & ~(page_bytes - 1);
  char* const to = mmap(0, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mremap((void*)page, page_bytes, page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) return 1;
  moved_work = (void (*)(unsigned long))(to + (work - page));
  end_after(seconds);
  while (goes_on) moved_work(next_unit());
  return 0;
}
