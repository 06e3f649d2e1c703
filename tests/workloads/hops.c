/* Every user stack is main and DEPTH times hop, each in another library than its caller: they take turns in COUNT
 * copies of libhop.so, FILE.0 and so on. `hops FILE COUNT DEPTH SECONDS` */
#include <dlfcn.h>

#include "workload.h"

typedef void Hop(void* const* ring, long length, long at, long left);

int main(int argc, char** argv) {
  char path[4096];
  const double seconds = seconds_of(argc, argv);
  if (argc != 5) return 2;
  const long count = atol(argv[2]), depth = atol(argv[3]);
  void** const ring = calloc((size_t)count + 1, sizeof *ring);
  for (long at = 0; at < count; at++) {
    snprintf(path, sizeof path, "%s.%ld", argv[1], at);
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !(ring[at] = dlsym(library, "hop"))) return 1;
  }
  end_after(seconds);
  Hop* first;
  memcpy(&first, ring, sizeof first);
  while (goes_on) first(ring, count, 0, depth - 1);
}
