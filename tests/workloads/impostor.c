/* Every user stack is main;run_made and a loop in a private mapping of one of the FILEs, so that the profiler takes
 * FILE for the file of this code. `impostor FILE... SECONDS`; prints "mapped" when it is ready. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "workload.h"

typedef void Loop(unsigned long turns);

/* In its own section, so that its length is known. It uses no address, so it runs anywhere. */
__attribute__((section("made_code"))) void original_loop(unsigned long turns) { WORK(turns); }
/* The linker defines these two. */
extern const char made_code_start[] __asm__("__start_made_code");
extern const char made_code_end[] __asm__("__stop_made_code");

void run_made(Loop* made) {
  made(UNIT);
  KEEP_FRAME();
}

/* Puts the loop into the middle of the file's first page. */
static Loop* loop_in(const char* path) {
  const size_t size = (size_t)(made_code_end - made_code_start);
  struct stat status;
  Loop* made;
  const int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) exit(1);
  const long in_page = status.st_size < 4096 ? status.st_size : 4096;
  char* const page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (page == MAP_FAILED) exit(1);
  close(file);
  long at = in_page / 2 & ~63L;
  if (at + (long)size > 4096) at = 0;
  memcpy(page + at, made_code_start, size);
  if (mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0) exit(1);
  __builtin___clear_cache(page, page + 4096);
  char* const begin = page + at;
  memcpy(&made, &begin, sizeof made);
  return made;
}

int main(int argc, char** argv) {
  const int count = argc - 2;
  end_after(seconds_of(argc, argv));
  if (count < 1) return 2;
  Loop** const loops = calloc((size_t)count, sizeof *loops);
  for (int at = 0; at < count; at++) loops[at] = loop_in(argv[at + 1]);
  dprintf(1, "mapped\n");
  for (int at = 0; goes_on; at = (at + 1) % count) run_made(loops[at]);
}
