/* Every user stack is main;lib_outer;lib_middle and one of two leaves. All but main are in one of COUNT libraries,
 * FILE.0 and so on, each equally often. `many_files FILE COUNT SECONDS`; prints "loaded" when all are loaded. */
#include <dlfcn.h>

#include "workload.h"

typedef void Outer(void);

int main(int argc, char** argv) {
  char path[4096];
  end_after(seconds_of(argc, argv));
  if (argc != 4) return 2;
  const long count = atol(argv[2]);
  Outer** const libraries = calloc((size_t)count + 1, sizeof *libraries);
  for (long at = 0; at < count; at++) {
    snprintf(path, sizeof path, "%s.%ld", argv[1], at);
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library || !(libraries[at] = (Outer*)dlsym(library, "lib_outer"))) return 1;
  }
  dprintf(1, "loaded\n");
  for (long at = 0; goes_on; at = (at + 1) % count) libraries[at]();
}
