/* Every user stack is main and a function whose name never ends for a demangler. */
#include "workload.h"

#define TIMES_4(text) text text text text
#define TIMES_64(text) TIMES_4(TIMES_4(TIMES_4(text)))

/* Conversions to a type that template arguments may follow: a demangler tries each of them both ways. */
void endless(unsigned long turns) __asm__("_ZN1a" TIMES_64("cvT_I") "i" TIMES_64("E") "Ev");
__attribute__((noinline)) void endless(unsigned long turns) { WORK(turns); }

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) endless(next_unit());
}
