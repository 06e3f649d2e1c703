/* Every user stack is main;call_library;lib_outer;lib_middle and one of two leaves at 2:1. All but the first two are
 * in libleaves.so. */
#include "workload.h"

void lib_outer(void);
void call_library(void) { lib_outer(); }

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) call_library();
}
