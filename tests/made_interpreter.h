// Files of interpreters that are built byte by byte: code, its frames, data, and symbols.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "made_elf.h"
#include "made_frames.h"

namespace profile::test {

class MadeSymbols {
 public:
  void add_function(std::string_view name, std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint16_t text = 1;
    add(name, STT_FUNC, text, address, bytes);
  }
  // `type`: STT_OBJECT or STT_TLS
  void add_data(std::string_view name, std::uint64_t address, std::uint64_t bytes, unsigned type = STT_OBJECT) {
    constexpr std::uint16_t data = 3;
    add(name, type, data, address, bytes);
  }

  [[nodiscard]] const std::string& names() const { return names_; }
  [[nodiscard]] const std::string& symbols() const { return symbols_; }

 private:
  void add(std::string_view name, unsigned type, std::uint16_t section, std::uint64_t address, std::uint64_t bytes) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<std::uint32_t>(names_.size());
    symbol.st_info = static_cast<unsigned char>(STB_GLOBAL << 4 | type);
    symbol.st_shndx = section;
    symbol.st_value = address;
    symbol.st_size = bytes;
    names_ += std::string(name) + '\0';
    symbols_ += bytes_of(symbol);
  }

  std::string names_ = std::string(1, '\0');
  std::string symbols_ = std::string(sizeof(Elf64_Sym), '\0');
};

struct MadeInterpreter {
  std::string text;    // at made_code_address
  std::string frames;  // of .eh_frame
  std::string data;
  std::uint64_t data_address;
  const MadeSymbols& symbols;
  std::uint16_t machine = EM_X86_64;
  std::uint32_t symbol_table = SHT_DYNSYM;
  std::vector<MadeSection> more = {};  // behind the section 5, the symbols
};

inline std::string made_file(const MadeInterpreter& made) {
  const std::uint64_t data_at = sizeof(Elf64_Ehdr) + made.text.size() + made.frames.size();
  std::vector<MadeSection> sections{
      {.name = ".text", .content = made.text, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = made_code_address},
      {.name = ".eh_frame", .content = made.frames, .flags = SHF_ALLOC, .address = 0x800000},
      {.name = ".data", .content = made.data, .flags = SHF_ALLOC | SHF_WRITE, .address = made.data_address},
      {.name = ".dynstr", .content = made.symbols.names(), .type = SHT_STRTAB, .flags = SHF_ALLOC},
      {.name = ".dynsym",
       .content = made.symbols.symbols(),
       .type = made.symbol_table,
       .flags = SHF_ALLOC,
       .link = 4,
       .entry_bytes = sizeof(Elf64_Sym)}};
  sections.insert(sections.end(), made.more.begin(), made.more.end());
  return made_elf(sections, made.machine,
                  {code_segment(made.text.size()), code_segment(made.data.size(), data_at, made.data_address)});
}

}  // namespace profile::test
