/* True of it: every user stack is main;run_made and the copy of a loop in memory of its own making, as a run-time
 * compiler leaves it. What is said of it is in /tmp/perf-PID.map, by the first argument: `plain` names it made_loop
 * with addresses as the format has them, `prefixed` with 0x before them as some run-times write, `here` writes the map
 * into the working directory, `silent` leaves writing to others. Its second argument, if there is one before the time,
 * is a file to which it writes the map's line in any case. */
#include <string.h>
#include <sys/mman.h>

#include "workload.h"

typedef void Loop(unsigned long turns);

/* Alone in its section, so that its length is known; it says no address, so that it runs wherever it lies. */
__attribute__((section("made_code"))) void original_loop(unsigned long turns) { WORK(turns); }
/* The linker makes these two. */
extern const char made_code_start[] __asm__("__start_made_code");
extern const char made_code_end[] __asm__("__stop_made_code");

void run_made(Loop* made) {
  made(UNIT);
  KEEP_FRAME();
}

static void write_map(const char* path, const char* prefix, const void* code, size_t size) {
  FILE* map = fopen(path, "w");
  if (!map) exit(1);
  fprintf(map, "%s%lx %s%zx made_loop\n", prefix, (unsigned long)code, prefix, size);
  fclose(map);
}

int main(int argc, char** argv) {
  const size_t size = (size_t)(made_code_end - made_code_start);
  const double seconds = seconds_of(argc, argv);
  char path[64];
  if (argc < 3) return 2;
  void* const code = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 1;
  memcpy(code, made_code_start, size);
  /* Before the code is code: a profiler that looks for a map earlier may leave it missing in a file system's memory. */
  snprintf(path, sizeof path, "%s/perf-%d.map", strcmp(argv[1], "here") == 0 ? "." : "/tmp", (int)getpid());
  if (strcmp(argv[1], "silent") != 0) write_map(path, strcmp(argv[1], "prefixed") == 0 ? "0x" : "", code, size);
  if (argc > 3) write_map(argv[2], "", code, size);
  if (mprotect(code, size, PROT_READ | PROT_EXEC) != 0) return 1;
  __builtin___clear_cache((char*)code, (char*)code + size);
  end_after(seconds);
  Loop* made;
  memcpy(&made, &code, sizeof made);
  while (goes_on) run_made(made);
}
