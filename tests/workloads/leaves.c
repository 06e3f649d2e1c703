/* True of it: every user stack is main;outer;middle;heavy or main;outer;middle;light, and heavy costs twice what light
 * does: 66.7 % and 33.3 % of its samples. */
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
