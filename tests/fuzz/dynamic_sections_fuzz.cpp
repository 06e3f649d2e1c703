// Whole files without section headers: one segment with the input, and a dynamic table at its start. The table says
// where the hash tables, symbols and strings are.
#include "elf/dynamic_sections.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../made_elf.h"
#include "elf/symbols.h"

namespace {

// Each table entry is two bytes of the input, because few 64-bit numbers are useful addresses.
std::string dynamic_table(const std::uint8_t* bytes) {
  constexpr std::int64_t tags[] = {DT_SYMTAB, DT_STRTAB, DT_STRSZ, DT_HASH, DT_GNU_HASH};
  std::string table;
  for (std::size_t i = 0; i < std::size(tags); ++i) {
    Elf64_Dyn entry{};
    entry.d_tag = tags[i];
    entry.d_un.d_val = bytes[2 * i] + 256U * bytes[2 * i + 1];
    table += profile::test::bytes_of(entry);
  }
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace profile;
  constexpr std::size_t table_bytes = 10;
  if (size < table_bytes) return 0;
  const std::string table = dynamic_table(data);
  const std::string content(reinterpret_cast<const char*>(data) + table_bytes, size - table_bytes);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof header;
  header.e_phnum = 2;
  header.e_phentsize = sizeof(Elf64_Phdr);
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_flags = PF_R | PF_X;
  load.p_offset = sizeof header + 2 * sizeof load + table.size();
  load.p_filesz = load.p_memsz = content.size();
  Elf64_Phdr dynamic{};
  dynamic.p_type = PT_DYNAMIC;
  dynamic.p_offset = sizeof header + 2 * sizeof load;
  dynamic.p_filesz = table.size();

  const Fd fd =
      test::in_memory(test::bytes_of(header) + test::bytes_of(load) + test::bytes_of(dynamic) + table + content);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  if (!file) std::abort();
  const auto with_sections = with_dynamic_sections(*file);
  if (!with_sections) return 0;
  std::vector<ElfAddress> addresses;
  for (std::uint64_t address = 0; address < 64; ++address) addresses.push_back({address});
  std::vector<Symbol> answers(addresses.size());
  resolve_symbols(*with_sections, addresses, answers);
  const bool all = std::ranges::none_of(answers, [](const Symbol& one) { return one.unnamed == Unnamed::pending; });
  if (!all) std::abort();
  return 0;
}
