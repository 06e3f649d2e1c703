/* Tests rely on this: every user stack is main;copied_outer;copied_inner, without frame pointers. After a tenth of a
 * second of CPU time the program copies its text to memory of its own, at the same addresses, as servers do that want
 * huge pages for their code. It writes a line when it has done so. */
#include "workload.h"

void copy_text(void);

__attribute__((noinline)) void copied_inner(void) {
  WORK(UNIT);
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void copied_outer(void) {
  volatile char frame[200];
  frame[0] = 1;
  copied_inner();
  frame[sizeof(frame) - 1] = frame[0];
}

int main(int argc, char** argv) {
  const double seconds = seconds_of(argc, argv);
  const clock_t soon = clock() + CLOCKS_PER_SEC / 10;
  end_after(seconds);
  while (clock() < soon) {
    for (int turn = 0; turn < 100; turn++) copied_outer();
  }
  copy_text();
  if (write(1, "copied\n", 7) != 7) return 1;
  while (goes_on) copied_outer();
}
