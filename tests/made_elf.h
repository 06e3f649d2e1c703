// Builds ELF files byte by byte, because no compiler makes them: odd, cut short, or harmful.
// The unit tests and the fuzz targets use them.
#pragma once

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/fd.h"

namespace profile::test {

struct MadeSection {
  std::string name;
  std::string content;
  std::uint32_t type = SHT_PROGBITS;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint32_t link = 0;
  std::uint64_t entry_bytes = 0;
};

template <class T>
std::string bytes_of(const T& object) {
  return std::string(reinterpret_cast<const char*>(&object), sizeof object);
}

// A 64-bit shared library with these sections (numbered from 1) and these segments. The first section follows the ELF
// header.
inline std::string made_elf(const std::vector<MadeSection>& sections, std::uint16_t machine = EM_X86_64,
                            const std::vector<Elf64_Phdr>& segments = {}) {
  std::string names(1, '\0');
  std::string contents;
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const MadeSection& section) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<std::uint32_t>(names.size());
    names += section.name + '\0';
    header.sh_type = section.type;
    header.sh_flags = section.flags;
    header.sh_addr = section.address;
    header.sh_offset = sizeof(Elf64_Ehdr) + contents.size();
    header.sh_size = section.content.size();
    header.sh_link = section.link;
    header.sh_entsize = section.entry_bytes;
    headers.push_back(header);
    contents += section.content;
  };
  for (const MadeSection& section : sections) add(section);
  names += std::string(".shstrtab") + '\0';
  add({.name = "", .content = names, .type = SHT_STRTAB});
  contents.resize((contents.size() + 7) & ~std::size_t{7});

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = machine;
  header.e_shoff = sizeof header + contents.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<std::uint16_t>(headers.size());
  header.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
  header.e_phoff = header.e_shoff + headers.size() * sizeof(Elf64_Shdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<std::uint16_t>(segments.size());
  std::string file = bytes_of(header) + contents;
  for (const Elf64_Shdr& section : headers) file += bytes_of(section);
  for (const Elf64_Phdr& segment : segments) file += bytes_of(segment);
  return file;
}

// A memory file with this content. No descriptor: memory is missing.
inline Fd in_memory(std::string_view content) {
  Fd fd(::memfd_create("made", MFD_CLOEXEC));
  if (::write(fd.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) return {};
  return fd;
}

}  // namespace profile::test
