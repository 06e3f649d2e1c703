#include "support/read_pages.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "support/fd.h"

namespace profile {
namespace {

// Bits of an entry of /proc/PID/pagemap.
constexpr std::uint64_t is_present = 1ULL << 63;
constexpr std::uint64_t is_swapped = 1ULL << 62;
constexpr std::uint64_t is_of_file = 1ULL << 61;

struct Pages {
  std::uintptr_t bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  Fd map{::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
};

bool is_unwritten(const Pages& pages, std::uintptr_t begin, std::uintptr_t end) {
  std::array<std::uint64_t, 256> entries{};
  for (std::uintptr_t at = begin / pages.bytes; at < end / pages.bytes; at += entries.size()) {
    const std::size_t count = std::min(entries.size(), end / pages.bytes - at);
    const auto wanted = static_cast<ssize_t>(count * sizeof entries[0]);
    const auto offset = static_cast<off_t>(at * sizeof entries[0]);
    if (::pread(pages.map.get(), entries.data(), static_cast<std::size_t>(wanted), offset) != wanted) return false;
    for (const std::uint64_t entry : std::span(entries).first(count)) {
      if ((entry & is_swapped) != 0 || (entry & (is_present | is_of_file)) == is_present) return false;
    }
  }
  return true;
}

int give_back_segments(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  const auto& pages = *static_cast<const Pages*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    // What relocation has written is in writable segments, also where it is protected afterwards.
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr + pages.bytes - 1) / pages.bytes * pages.bytes;
    const std::uintptr_t end = (object->dlpi_addr + segment.p_vaddr + segment.p_memsz) / pages.bytes * pages.bytes;
    if (begin >= end || ((segment.p_flags & PF_X) != 0 && !is_unwritten(pages, begin, end))) continue;
    void* const memory = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    ::madvise(memory, end - begin, MADV_DONTNEED);        // on an error the pages only stay
  }
  return 0;
}

}  // namespace

void give_back_read_pages() noexcept {
  Pages pages;
  ::dl_iterate_phdr(give_back_segments, &pages);
}

}  // namespace profile
