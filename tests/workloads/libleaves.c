/* Tests rely on this: a caller of lib_outer has lib_outer;lib_middle;lib_heavy and lib_outer;lib_middle;lib_light,
 * 2:1. */
#include "workload.h"

static unsigned long unit;
ALIGNED void lib_heavy(void) { WORK(2 * unit); }
ALIGNED void lib_light(void) { WORK(unit); }
void lib_middle(void) {
  unit = next_unit();
  lib_heavy();
  lib_light();
}
void lib_outer(void) { lib_middle(); }
