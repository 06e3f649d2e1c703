/* True of it: whoever calls lib_outer has lib_outer;lib_middle;lib_heavy and lib_outer;lib_middle;lib_light at 2:1. */
#include "workload.h"

void lib_heavy(void) { WORK(2 * UNIT); }
void lib_light(void) { WORK(UNIT); }
void lib_middle(void) {
  lib_heavy();
  lib_light();
}
void lib_outer(void) { lib_middle(); }
