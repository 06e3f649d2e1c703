/* The caller of library_turn has library_turn;in_second. See libfirst.c. */
#include "workload.h"

void in_second(void) { WORK(UNIT); }
void library_turn(void) { in_second(); }
