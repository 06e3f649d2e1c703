#include "parse/vdso.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstddef>
#include <span>

namespace profile {

FileBytes vdso_bytes() {
  const auto* image =
      reinterpret_cast<const std::byte*>(::getauxval(AT_SYSINFO_EHDR));  // NOLINT(performance-no-int-to-ptr)
  if (image == nullptr) return {};
  // The section headers stand at the end of the image. The kernel maps whole pages, so the whole image is there.
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(image);
  const std::size_t size = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  return FileBytes(std::span(image, size));
}

}  // namespace profile
