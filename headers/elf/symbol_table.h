// One symbol table of an ELF file and its strings, streamed: every entry is looked at and none is kept.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "elf/file.h"

namespace profile {

struct ElfTableSymbol {
  std::uint32_t index = 0;
  std::uint32_t name = 0;  // offset in the table's strings, within them
  std::uint8_t type = 0;
  std::uint8_t binding = 0;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  const ElfSection* section = nullptr;  // where it is; in memory when the program runs
};

class ElfSymbolTable {
 public:
  // Of `type` SHT_SYMTAB or SHT_DYNSYM. nullopt when the file has none, or, with `damaged` set, none that can be used.
  static std::optional<ElfSymbolTable> find(const ElfFile& file, std::uint32_t type, bool& damaged);

  // `look(const ElfTableSymbol&)` for each that has a name and stands in a section that is loaded. False when the
  // file ended early.
  template <class Look>
  [[nodiscard]] bool for_each(Look look) const;

  [[nodiscard]] const ElfFile& file() const { return *file_; }
  [[nodiscard]] const ElfSection& strings() const { return *strings_; }
  // How many symbols are looked at.
  [[nodiscard]] std::uint64_t size() const { return std::min(symbols_->size / symbols_->entry_size, max_symbols); }
  [[nodiscard]] bool is_dynamic() const { return symbols_->type == SHT_DYNSYM; }

 private:
  // The largest programs known have some three million; beyond this the rest is not looked at.
  static constexpr std::uint64_t max_symbols = 8'000'000;
  static constexpr std::size_t chunk_symbols = 2048;

  ElfSymbolTable(const ElfFile& file, const ElfSection& symbols, const ElfSection& strings)
      : file_(&file), symbols_(&symbols), strings_(&strings) {}
  template <class Raw, class Look>
  [[nodiscard]] bool stream(Look& look) const;

  const ElfFile* file_;
  const ElfSection* symbols_;
  const ElfSection* strings_;
};

// Names out of a string table, best asked for in ascending order: one small window is read at a time, never the table.
class ElfNameReader {
 public:
  // No compiler writes longer ones on purpose; what is longer is cut off here.
  static constexpr std::size_t max_name_bytes = 4096;

  explicit ElfNameReader(const ElfSymbolTable& table) : table_(&table), window_(window_bytes) {}
  // Valid until the next call; empty when it cannot be read.
  [[nodiscard]] std::string_view read(std::uint32_t name);
  // How often the file was read so far.
  [[nodiscard]] std::uint64_t reads() const { return reads_; }

 private:
  static constexpr std::size_t window_bytes = 2 * max_name_bytes;

  const ElfSymbolTable* table_;
  std::vector<char> window_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;  // what the window holds of the strings: [begin_, end_)
  std::uint64_t reads_ = 0;
};

template <class Look>
bool ElfSymbolTable::for_each(Look look) const {
  return file_->is_64bit() ? stream<Elf64_Sym>(look) : stream<Elf32_Sym>(look);
}

template <class Raw, class Look>
bool ElfSymbolTable::stream(Look& look) const {
  std::vector<Raw> chunk(chunk_symbols);
  const std::uint64_t count = size();
  const auto sections = file_->sections();
  for (std::uint64_t at = 0; at < count; at += chunk_symbols) {
    const auto part = std::span(chunk).first(std::min<std::uint64_t>(chunk_symbols, count - at));
    if (!file_->read_records(symbols_->offset + at * sizeof(Raw), part)) return false;
    for (const Raw& raw : part) {
      // Absolute, common and undefined symbols have reserved numbers; so many sections that they need an extension
      // table are more than ElfFile reads.
      if (raw.st_shndx == SHN_UNDEF || raw.st_shndx >= SHN_LORESERVE || raw.st_shndx >= sections.size()) continue;
      if (raw.st_name == 0 || raw.st_name >= strings_->size) continue;
      const ElfSection& section = sections[raw.st_shndx];
      if ((section.flags & SHF_ALLOC) == 0) continue;
      // Type and binding are packed in the same way in both classes.
      look(ElfTableSymbol{static_cast<std::uint32_t>(at + static_cast<std::uint64_t>(&raw - part.data())), raw.st_name,
                          static_cast<std::uint8_t>(ELF64_ST_TYPE(raw.st_info)),
                          static_cast<std::uint8_t>(ELF64_ST_BIND(raw.st_info)), raw.st_value, raw.st_size, &section});
    }
  }
  return true;
}

}  // namespace profile
