#include "symbol/vdso.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace profile {

Fd copy_of_vdso() {
  const auto* image = reinterpret_cast<const char*>(::getauxval(AT_SYSINFO_EHDR));  // NOLINT(performance-no-int-to-ptr)
  if (image == nullptr) return {};
  // Its section headers stand at its end. The kernel maps whole pages, so all of it is there.
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(image);
  const std::size_t size = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  Fd copy(::memfd_create("vdso", MFD_CLOEXEC));
  if (!copy) return {};
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::write(copy.get(), image + done, size - done);
    if (written <= 0) return {};
    done += static_cast<std::size_t>(written);
  }
  return copy;
}

}  // namespace profile
