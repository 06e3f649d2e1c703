/* foreign FILE BEGINNING SECONDS. Makes FILE, which begins with these letters, maps it, and computes in two functions
 * in it: at 0x3100 for three quarters of the time, and at 0x4200. */
#include <fcntl.h>
#include <sys/mman.h>

#include "workload.h"

/* A frame, a loop whose turns are the argument, and a return. */
#ifdef __x86_64__
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0x5d, 0xc3};
#elif defined(__aarch64__)
static const unsigned int code[] = {0xa9bf7bfd, 0x910003fd, 0x71000400, 0x54ffffe1, 0xa8c17bfd, 0xd65f03c0};
#endif

int main(int argc, char** argv) {
  const double seconds = seconds_of(argc, argv);
#if defined(__x86_64__) || defined(__aarch64__)
  static char bytes[0x6000];
  strncpy(bytes, argv[2], 16);
  memcpy(bytes + 0x3100, code, sizeof(code));
  memcpy(bytes + 0x4200, code, sizeof(code));
  int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (write(file, bytes, sizeof(bytes)) != sizeof(bytes)) return 1;
  close(file);
  file = open(argv[1], O_RDONLY | O_CLOEXEC);
  char* const at = mmap(0, 0x2000, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0x3000);
  if (at == MAP_FAILED) return 1;
  void (*const first)(unsigned) = (void (*)(unsigned))(at + 0x100);
  void (*const second)(unsigned) = (void (*)(unsigned))(at + 0x1200);
  end_after(seconds);
  while (goes_on) {
    const unsigned turns = (unsigned)next_unit();
    first(3 * turns);
    second(turns);
  }
#endif
  return 0;
}
