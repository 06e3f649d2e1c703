/* True of it: whoever calls library_turn has library_turn;in_first. Differs from libsecond.so in that name only, so
 * that one fits where the other was. */
#include "workload.h"

void in_first(void) { WORK(UNIT); }
void library_turn(void) { in_first(); }
