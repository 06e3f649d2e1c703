/* Preloaded, it sends SIGTERM to its own process when that opens a file whose name ends in "hasty.folded". This is
 * before the profiler begins to sample. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

int open(const char* path, int flags, ...) {
  static const char ending[] = "hasty.folded";
  const size_t length = strlen(path);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (length >= sizeof ending - 1 && strcmp(path + length - (sizeof ending - 1), ending) == 0) raise(SIGTERM);
  int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}
