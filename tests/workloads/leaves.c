/* Every user stack is main;outer;middle;heavy or main;outer;middle;light. heavy costs twice as much as light: 66.7 %
 * and 33.3 % of the samples. */
#include "workload.h"

static unsigned long unit;
ALIGNED void heavy(void) { WORK(2 * unit); }
ALIGNED void light(void) { WORK(unit); }
void middle(void) {
  unit = next_unit();
  heavy();
  light();
}
void outer(void) { middle(); }

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) outer();
}
