/* The caller of library_turn has library_turn;in_first. Only this name differs from libsecond.so, so that one
 * library fits into the place of the other. */
#include "workload.h"

void in_first(void) { WORK(UNIT); }
void library_turn(void) { in_first(); }
