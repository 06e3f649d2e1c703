/* Tests rely on this: it is nearly always in the kernel, called by main;drain_zero, in vfs_read called from
 * ksys_read. */
#include <fcntl.h>
#include <sys/syscall.h>

#include "workload.h"

/* Makes the system call in the function itself: libc's read() has no frame, so the caller would be missing in the
 * stack. */
static inline __attribute__((always_inline)) long read_here(long fd, void* buffer, long size) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_read), "D"(fd), "S"(buffer), "d"(size) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x0 __asm__("x0") = fd;
  register void* x1 __asm__("x1") = buffer;
  register long x2 __asm__("x2") = size;
  register long x8 __asm__("x8") = SYS_read;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
  return x0;
#else
#error "the system call instruction of this machine is not known here"
#endif
}

/* Large, so that the way into the kernel and back does not matter, even on a machine where it is slow. */
static char buffer[1 << 24];

void drain_zero(int fd) {
  KEEP_FRAME();
  while (goes_on) {
    if (read_here(fd, buffer, sizeof buffer) <= 0) return;
  }
}

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  drain_zero(open("/dev/zero", O_RDONLY));
}
