/* rewriter DIRECTORY HOW SECONDS. DIRECTORY/lib.so is a copy of libsmall.so for half of the time, and then of
 * liblarge.so. Each is loaded while it is there, so that the stacks are in_small;entry_of;leaf_small or
 * in_large;entry_of;leaf_large. HOW the second gets into the place of the first: over its content ("content"), also
 * with its time of modification ("times"), as a new file after the first was removed ("remove"), or by a rename
 * ("rename"). With "turns" both have a file of their own, and are loaded in turn, 25 ms each, at one address and by one
 * caller, in_turn. */
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "workload.h"

static char path[4096], new_path[4096], from[4096];
static double half;

static void copy(const char* program, const char* name, const char* to) {
  static char bytes[1 << 20];
  snprintf(from, sizeof(from), "%.*s%s", (int)(strrchr(program, '/') + 1 - program), program, name);
  const int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  const ssize_t size = read(in, bytes, sizeof(bytes));
  if (size <= 0 || write(out, bytes, (size_t)size) != size) {
    perror(from);
    exit(1);
  }
  close(in);
  close(out);
}

/* In seconds of CPU time: on a busy machine equal halves of the real time have different numbers of samples. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The callers have names, so this is a part of each. */
__attribute__((always_inline)) static inline void use(const char* file, double seconds) {
  void* library = dlopen(file, RTLD_NOW);
  void (*entry)(void) = library ? (void (*)(void))dlsym(library, "entry_of") : 0;
  if (!entry) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  for (const double end = now() + seconds; now() < end;) {
    for (int i = 0; i < 100; i++) entry();
  }
  dlclose(library);
}
__attribute__((noinline)) static void in_small(void) {
  __asm__ volatile("# small"); /* so that the compiler does not make one function of both */
  use(path, half);
}
__attribute__((noinline)) static void in_large(void) {
  __asm__ volatile("# large");
  use(path, half);
}
__attribute__((noinline)) static void in_turn(const char* file) { use(file, 0.025); }

int main(int argc, char** argv) {
  half = seconds_of(argc, argv) / 2;
  const char* how = argc == 4 ? argv[2] : "";
  snprintf(path, sizeof(path), "%s/lib.so", argv[1]);
  snprintf(new_path, sizeof(new_path), "%s/new.so", argv[1]);
  copy(argv[0], "libsmall.so", path);
  if (strcmp(how, "turns") == 0) {
    copy(argv[0], "liblarge.so", new_path);
    for (const double end = now() + 2 * half; now() < end;) {
      in_turn(path);
      in_turn(new_path);
    }
    return 0;
  }
  const struct timespec times[2] = {{1000, 0}, {1000, 0}};
  if (strcmp(how, "times") == 0) utimensat(AT_FDCWD, path, times, 0);
  in_small();
  if (strcmp(how, "remove") == 0) unlink(path);
  copy(argv[0], "liblarge.so", strcmp(how, "rename") == 0 ? new_path : path);
  if (strcmp(how, "rename") == 0) rename(new_path, path);
  if (strcmp(how, "times") == 0) utimensat(AT_FDCWD, path, times, 0);
  in_large();
}
