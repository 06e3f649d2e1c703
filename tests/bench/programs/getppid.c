/* Repeats the cheapest system call: `getppid SECONDS` prints the nanoseconds of one call. */
#include <sys/syscall.h>

#include "batches.h"

static void call(int times) {
  for (int i = 0; i < times; i++) syscall(SYS_getppid);
}

int main(int argc, char** argv) {
  die_with(getppid());
  print_ns_of_one(call, 50, argc > 1 ? atof(argv[1]) : 1);
  return 0;
}
