/* Copies the program's text to memory of its own at the same addresses: see copied.c. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>

#include "workload.h"

static int copy_first_object(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int at = 0; at < info->dlpi_phnum; at++) {
    const ElfW(Phdr)* const part = &info->dlpi_phdr[at];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    char* const begin = (char*)((info->dlpi_addr + part->p_vaddr) & ~(page - 1));
    const size_t bytes = (part->p_vaddr % page + part->p_memsz + page - 1) & ~(page - 1);
    const int fixed = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    char* const kept = malloc(bytes);
    if (!kept) _exit(1);
    memcpy(kept, begin, bytes);
    if (mmap(begin, bytes, PROT_READ | PROT_WRITE, fixed, -1, 0) == MAP_FAILED) _exit(1);
    memcpy(begin, kept, bytes);
    if (mprotect(begin, bytes, PROT_READ | PROT_EXEC) != 0) _exit(1);
    __builtin___clear_cache(begin, begin + bytes);
  }
  return 1; /* the first object is the program */
}

void copy_text(void) { dl_iterate_phdr(copy_first_object, 0); }
