/* Sets its frame pointer to memory that was never touched: a walk that follows it has a page fault in the kernel.
 * `untouched SECONDS` */
#include "workload.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  const void* memory = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
#ifdef __x86_64__
  __asm__ volatile("mov %0, %%rbp\n1: jmp 1b" : : "r"(memory));
#else
  __asm__ volatile("mov x29, %0\n1: b 1b" : : "r"(memory));
#endif
}
