/* touch_pages touches PAGES new pages, one page fault each, in each of ROUNDS rounds with pauses of PAUSE_MS between
 * them. Nothing else in main has more than a few faults.
 *   faults PAGES ROUNDS PAUSE_MS SECONDS */
#include "workload.h"

#include <sys/mman.h>

static const size_t page = 4096;

void touch_pages(volatile char* memory, size_t pages) {
  KEEP_FRAME();
  for (size_t i = 0; i < pages; i++) memory[i * page] = 1;
}

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  if (argc != 5) return 2;
  const size_t pages = strtoul(argv[1], NULL, 10);
  const long rounds = atol(argv[2]);
  const long pause_ms = atol(argv[3]);
  char* memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || madvise(memory, pages * page, MADV_NOHUGEPAGE) != 0) return 1;
  for (long round = 0; round < rounds; round++) {
    touch_pages(memory, pages);
    madvise(memory, pages * page, MADV_DONTNEED);
    if (pause_ms != 0) usleep((useconds_t)pause_ms * 1000);
  }
}
