/* Preloaded, it sends SIGTERM to its own process when that opens or makes a file whose name ends in "hasty.folded".
 * This is before the profiler begins to sample. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

static void look_at(const char* path) {
  static const char ending[] = "hasty.folded";
  const size_t length = strlen(path);
  if (length >= sizeof ending - 1 && strcmp(path + length - (sizeof ending - 1), ending) == 0) raise(SIGTERM);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  look_at(path);
  int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  look_at(path);
  int (*next)(int, const char*, int, ...) = (int (*)(int, const char*, int, ...))dlsym(RTLD_NEXT, "openat");
  return next(directory, path, flags, mode);
}
