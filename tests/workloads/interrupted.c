/* interrupted FILE SECONDS. Tests rely on this: it writes "ready" to FILE and burns in burn_until_interrupted. After
 * its first SIGINT or SIGTERM it burns half a second of CPU time in burn_after, writes the number of each signal
 * ("SIGINT 1 SIGTERM 0") to FILE and exits with 7. */
#include "workload.h"

static const char* path;
static volatile sig_atomic_t interrupts, terminations;

static void say(const char* text) {
  FILE* file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}
static void answer(int number) {
  char text[64];
  (void)number;
  snprintf(text, sizeof text, "SIGINT %d SIGTERM %d\n", (int)interrupts, (int)terminations);
  say(text);
  _exit(7);
}
static void count(int number) {
  if (interrupts + terminations == 0) {
    clock_of_end = ITIMER_PROF;
    end_after(0.5);
    signal(SIGPROF, answer);
  }
  if (number == SIGINT)
    interrupts++;
  else
    terminations++;
}

void burn_until_interrupted(void) {
  while (interrupts + terminations == 0) WORK(UNIT);
}
void burn_after(void) {
  while (goes_on) WORK(UNIT);
}

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  path = argv[1];
  signal(SIGINT, count);
  signal(SIGTERM, count);
  say("ready\n");
  burn_until_interrupted();
  burn_after();
}
