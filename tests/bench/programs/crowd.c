/* COUNT processes, one after the other on every CPU. Each executes this program again and ends at once: `crowd
 * COUNT`. */
#include <sys/wait.h>

#include "bench.h"

static void start_one(const char* self) {
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    execl(self, self, "0", (char*)NULL);
    _exit(127);
  }
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  long left = atol(argv[1]);
  long running = 0;
  for (const long at_once = sysconf(_SC_NPROCESSORS_ONLN); left > 0; left--) {
    if (running == at_once) {
      int status;
      if (wait(&status) < 0 || status != 0) return 1;
      running--;
    }
    start_one(argv[0]);
    running++;
  }
  while (running-- > 0) wait(NULL);
  return 0;
}
