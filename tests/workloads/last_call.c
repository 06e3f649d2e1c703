/* True of it: every user stack is main;caller;never_returns. The call is the last instruction of `caller`, so the
 * return address on the stack is the first of the function behind it, which is never called. */
#include "workload.h"

__attribute__((noreturn)) void never_returns(void) {
  for (;;) WORK(UNIT);
}
void caller(void) { never_returns(); }
void behind_it(void) { WORK(UNIT); }

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  caller();
  behind_it();
}
