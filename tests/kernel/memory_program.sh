#!/bin/bash
# A program that exists only in memory (memfd) has its names, as a process and as a library. It is not JIT code.
source "$(dirname "$0")/compiling.bash"

# run_from_memory NAME FILE [ARGUMENT...] : replaces itself by a copy of the file that has no path.
cat >"$tmp/run_from_memory" <<'PYTHON'
import os, sys
memory = os.memfd_create(sys.argv[1])
with open(sys.argv[2], "rb") as program: os.write(memory, program.read())
os.execve(memory, [sys.argv[1]] + sys.argv[3:], os.environ)
PYTHON
is_in_memory() { [[ $(readlink "/proc/$1/exe") == /memfd:* ]]; }
for kind in leaves leaves.static; do
  start /usr/bin/python3 "$tmp/run_from_memory" fetched "$WORKLOADS/$kind" 600
  wait_until is_in_memory "$started"
  sample_work "$started" 40 -F 1999 -U --modules
  expect_share ';outer \[memfd:fetched\];middle \[memfd:fetched\];(heavy|light) \[memfd:fetched\] ' 90 100
  expect_no_err 'JIT code'
  kill "$started"
done
# It begins during the run and ends before the run does.
sample_folded -F 999 -- /usr/bin/python3 "$tmp/run_from_memory" fetched "$WORKLOADS/leaves" 0.5cpu
expect_present ';main;outer;middle;heavy '

# A library that is loaded through a path to memory.
build "$tmp/libleaves.so" "$SOURCE_DIR/tests/workloads/libleaves.c" -fPIC -shared
cat >"$tmp/loader.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/mman.h>
#include "workload.h"
int main(int argc, char** argv) {
  static char bytes[1 << 20];
  char path[64];
  FILE* file = fopen(argv[1], "r");
  const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  const int memory = memfd_create("plugin", 0);
  if (write(memory, bytes, size) != (ssize_t)size) return 1;
  snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  void* library = dlopen(path, RTLD_NOW);
  void (*lib_outer)(void) = library ? (void (*)(void))dlsym(library, "lib_outer") : 0;
  if (!lib_outer) return 1;
  end_after(seconds_of(argc, argv));
  while (goes_on) lib_outer();
}
C
build "$tmp/loader" "$tmp/loader.c"
start "$tmp/loader" "$tmp/libleaves.so" 600
wait_until is_at_work "$started"
sample_work "$started" 40 -F 1999 -U --modules
expect_share ';main \[loader\];lib_outer \[memfd:plugin\];lib_middle \[memfd:plugin\];lib_(heavy|light) \[memfd:plugin\] ' 90 100
expect_no_err 'JIT code'
