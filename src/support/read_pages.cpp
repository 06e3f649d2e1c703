#include "support/read_pages.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace profile {
namespace {

int give_back_segments(dl_phdr_info* object, std::size_t /*size*/, void* page_bytes) {
  const std::uintptr_t page = *static_cast<const std::uintptr_t*>(page_bytes);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    // What relocation has written is in writable segments, also where it is protected afterwards.
    if (segment.p_type != PT_LOAD || segment.p_flags != PF_R) continue;
    const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr + page - 1) / page * page;
    const std::uintptr_t end = (object->dlpi_addr + segment.p_vaddr + segment.p_memsz) / page * page;
    if (begin >= end) continue;
    void* const pages = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    ::madvise(pages, end - begin, MADV_DONTNEED);        // on an error the pages only stay
  }
  return 0;
}

}  // namespace

void give_back_read_pages() noexcept {
  auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  ::dl_iterate_phdr(give_back_segments, &page_bytes);
}

}  // namespace profile
