/* Its frame pointer leads to a frame record of which both words point into memory that was never touched. So a walk has
 * a page fault in the kernel, whether it reads the next record or the code before the return address.
 * `untouched SECONDS` */
#include "workload.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  char* const memory = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  void* volatile record[2] __attribute__((aligned(16))) = {memory, memory + 64};
#ifdef __x86_64__
  __asm__ volatile("mov %0, %%rbp\n1: jmp 1b" : : "r"(record) : "memory");
#else
  __asm__ volatile("mov x29, %0\n1: b 1b" : : "r"(record) : "memory");
#endif
}
