/* Every user stack is main;caller;never_returns. The call is the last instruction of `caller`, so its return address
 * is the start of the next function, which is never called. */
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
