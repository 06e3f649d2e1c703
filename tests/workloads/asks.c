/* True of it: it makes the system call getppid CALLS times, in libc's syscall, which has no frame, so that the caller's
 * is missing too, and main stands below; and never otherwise.
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
