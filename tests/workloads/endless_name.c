/* True of it: every user stack is main and a function of whose name demanglers find no end. */
#include "workload.h"

#define TIMES_4(text) text text text text
#define TIMES_64(text) TIMES_4(TIMES_4(TIMES_4(text)))

/* Conversions to a type that stands before arguments for templates or does not: each is read both ways. */
void endless(unsigned long turns) __asm__("_ZN1a" TIMES_64("cvT_I") "i" TIMES_64("E") "Ev");
__attribute__((noinline)) void endless(unsigned long turns) { WORK(turns); }

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) endless(next_unit());
}
