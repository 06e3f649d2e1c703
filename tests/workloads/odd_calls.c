/* Makes system calls with numbers of other tables: 300 getppid by the 32-bit number and 40 by the x32 number (only
 * on x86-64), 30 of number 999 and 10 of number 5000, which no kernel has. Where the kernel has no 32-bit calls, it
 * is killed. */
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
#ifdef __x86_64__
  const long of_32_bit = 64;
  const long of_x32 = 0x40000000 + SYS_getppid;
  for (int i = 0; i < 300; i++) {
    long result = of_32_bit;
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  }
  for (int i = 0; i < 40; i++) syscall(of_x32);
#endif
  for (int i = 0; i < 30; i++) syscall(999);
  for (int i = 0; i < 10; i++) syscall(5000);
  return 0;
}
