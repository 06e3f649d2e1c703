/* Makes the system call getppid CALLS times, and never otherwise. libc's syscall() has no frame, so the caller may
 * be missing and main is below it.
 *   asks CALLS SECONDS */
#include "workload.h"

#include <sys/syscall.h>

void ask(void) {
  KEEP_FRAME();
  syscall(SYS_getppid);
}

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  for (long left = argc == 3 ? atol(argv[1]) : 0; left > 0; left--) ask();
}
