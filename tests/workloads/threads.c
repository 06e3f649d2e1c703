/* Thread `red` burns in burn_red and thread `green` in burn_green, both for the same time; main only waits. */
#define _GNU_SOURCE
#include <pthread.h>

#include "workload.h"

void burn_red(void) {
  while (goes_on) WORK(UNIT);
}
void burn_green(void) {
  while (goes_on) WORK(UNIT);
}
void* red_thread(void* unused) {
  pthread_setname_np(pthread_self(), "red");
  burn_red();
  return unused;
}
void* green_thread(void* unused) {
  pthread_setname_np(pthread_self(), "green");
  burn_green();
  return unused;
}

int main(int argc, char** argv) {
  pthread_t red, green;
  end_after(seconds_of(argc, argv));
  if (pthread_create(&red, 0, red_thread, 0) || pthread_create(&green, 0, green_thread, 0)) return 1;
  pthread_join(red, 0);
}
