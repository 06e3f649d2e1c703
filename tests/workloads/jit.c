/* Tests rely on this: every user stack is main;run_made and the copy of a loop in memory that it made itself, like a
 * run-time compiler. The first argument selects how /tmp/perf-PID.map describes it. `plain` names it made_loop with
 * addresses in the usual format, `prefixed` writes 0x before them like some run-times, `here` writes the map into
 * the working directory, `silent` writes none.
 * `dump` writes a jitdump into the working directory, with lines: the loop is made.src:7 to its end; made.src:1 and
 * :9 are before and after it. `moved` says there that the loop was elsewhere before. An optional second argument,
 * before the time, is a file that gets the map's line in any case. */
#include <string.h>
#include <sys/mman.h>

#include "workload.h"

typedef void Loop(unsigned long turns);

/* In a section of its own, so that its length is known. It uses no address, so that it runs anywhere in memory. */
__attribute__((section("made_code"))) void original_loop(unsigned long turns) { WORK(turns); }
/* The linker defines these two. */
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

/* The parts of a jitdump. */
struct record {
  unsigned kind, bytes;
  unsigned long time;
};
struct line {
  unsigned long address;
  unsigned number, discriminator;
  char file[9];
} __attribute__((packed));
static void write_part(FILE* dump, const void* part, size_t bytes) {
  if (fwrite(part, bytes, 1, dump) != 1) exit(1);
}

static void write_dump(unsigned long code, size_t size, int moved) {
  char path[64];
  const unsigned head[] = {0x4A695444, 1, 40, 62, 0, (unsigned)getpid(), 0, 0, 0, 0};
  const unsigned long first = moved ? code + (1UL << 32) : code;
  const struct line lines[] = {
      {first - 16, 1, 0, "made.src"}, {first, 7, 0, "made.src"}, {first + size, 9, 0, "made.src"}};
  const struct record of_lines = {2, sizeof of_lines + 16 + sizeof lines, 1};
  const unsigned long about_lines[] = {first, 3};
  const char name[] = "dumped_loop";
  const struct record of_load = {0, (unsigned)(sizeof of_load + 40 + sizeof name + size), 1};
  const unsigned ids[] = {(unsigned)getpid(), (unsigned)getpid()};
  const unsigned long about_load[] = {first, first, size, 5};
  const struct record of_move = {1, sizeof of_move + 48, 2};
  const unsigned long about_move[] = {code, first, code, size, 5};
  FILE* dump;
  snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
  dump = fopen(path, "w+");
  /* Profilers find the jitdump by this mapping. Like the agents for Java, map the file before it has contents. */
  if (!dump || mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED) exit(1);
  write_part(dump, head, sizeof head);
  write_part(dump, &of_lines, sizeof of_lines);
  write_part(dump, about_lines, sizeof about_lines);
  write_part(dump, lines, sizeof lines);
  write_part(dump, &of_load, sizeof of_load);
  write_part(dump, ids, sizeof ids);
  write_part(dump, about_load, sizeof about_load);
  write_part(dump, name, sizeof name);
  write_part(dump, made_code_start, size);
  if (moved) {
    write_part(dump, &of_move, sizeof of_move);
    write_part(dump, ids, sizeof ids);
    write_part(dump, about_move, sizeof about_move);
  }
  fclose(dump);
}

int main(int argc, char** argv) {
  const size_t size = (size_t)(made_code_end - made_code_start);
  const double seconds = seconds_of(argc, argv);
  char path[64];
  if (argc < 3) return 2;
  void* const code = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 1;
  memcpy(code, made_code_start, size);
  /* Write the map before the code becomes executable: if a profiler looks for the map too early, a file system may
   * remember that it is missing. */
  snprintf(path, sizeof path, "%s/perf-%d.map", strcmp(argv[1], "here") == 0 ? "." : "/tmp", (int)getpid());
  const int is_dumped = strcmp(argv[1], "dump") == 0, is_moved = strcmp(argv[1], "moved") == 0;
  if (is_dumped || is_moved)
    write_dump((unsigned long)code, size, is_moved);
  else if (strcmp(argv[1], "silent") != 0)
    write_map(path, strcmp(argv[1], "prefixed") == 0 ? "0x" : "", code, size);
  if (argc > 3) write_map(argv[2], "", code, size);
  if (mprotect(code, size, PROT_READ | PROT_EXEC) != 0) return 1;
  __builtin___clear_cache((char*)code, (char*)code + size);
  end_after(seconds);
  Loop* made;
  memcpy(&made, &code, sizeof made);
  while (goes_on) run_made(made);
}
