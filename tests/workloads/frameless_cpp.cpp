/* C++ stacks without frame pointers. `frameless_cpp SHAPE SECONDS` burns in spin() until its end. The frames from
 * main on are:
 *   cleanup    catches;between;~Cleaner;spin   while an exception is in flight; the thrower has left
 *   caught     handles_itself;handles;spin     in the handler, before the exception is gone
 *   rethrown   catches;passes_on;handles;spin  the same, and the exception goes on
 *   templates  deep<32> to deep<0>;spin */
#include "workload.h"

#define NAMED __attribute__((noinline, noclone, used))
/* The compiler must not move code across this. */
#define FENCE() __asm__ volatile("" ::: "memory")

NAMED void spin() {
  for (unsigned long turn = 0; turn < 20 * UNIT; turn++) FENCE();
}
NAMED void handles() {
  spin();
  FENCE();
}

struct Cleaner {
  NAMED ~Cleaner() {
    spin();
    FENCE();
  }
};
NAMED void throws() {
  FENCE();
  throw 1;
}
NAMED void between() {
  Cleaner cleaner;
  throws();
  FENCE();
}
NAMED void passes_on() {
  try {
    throws();
  } catch (int) {
    handles();
    throw;
  }
  FENCE();
}
NAMED void catches(void (*what)()) {
  try {
    what();
  } catch (int) {
    FENCE();
  }
  FENCE();
}
NAMED void handles_itself() {
  try {
    throws();
  } catch (int) {
    handles();
  }
  FENCE();
}

template <int depth>
NAMED void deep() {
  if constexpr (depth > 0) {
    deep<depth - 1>();
  } else {
    spin();
  }
  FENCE();
}

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  if (argc != 3) return 2;
  const char* shape = argv[1];
#define IS(name) (__builtin_strcmp(shape, name) == 0)
  while (goes_on) {
    if (IS("cleanup")) catches(between);
    if (IS("caught")) handles_itself();
    if (IS("rethrown")) catches(passes_on);
    if (IS("templates")) deep<32>();
  }
}
