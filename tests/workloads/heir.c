/* The second thread executes PROGRAM and so takes over the process. The first thread only waits.
 *   heir PROGRAM [ARGUMENT...] */
#include <pthread.h>

#include "workload.h"

static void* run_program(void* arguments) {
  usleep(20000);
  execvp(((char**)arguments)[0], arguments);
  _exit(1);
}

int main(int argc, char** argv) {
  pthread_t thread;
  if (argc < 2 || pthread_create(&thread, 0, run_program, argv + 1)) return 2;
  for (;;) pause();
}
