// Streams one symbol table of an ELF file and its strings: it looks at every entry and keeps none, so that a large
// table takes no memory.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "elf/file.h"

namespace profile {

struct ElfTableSymbol {
  std::uint32_t index = 0;
  std::uint32_t name = 0;  // offset in the table's strings; never beyond their end
  std::uint8_t type = 0;
  std::uint8_t binding = 0;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  const ElfSection* section = nullptr;  // the section that holds it; it is in memory when the program runs
};

class ElfSymbolTable {
 public:
  // `type` is SHT_SYMTAB or SHT_DYNSYM. nullopt: the file has no such table, or it cannot be used, and then `damaged`
  // is set to true.
  static std::optional<ElfSymbolTable> find(const ElfFile& file, std::uint32_t type, bool& damaged);

  // Calls `look(const ElfTableSymbol&)` for each symbol that has a name and lies in a loaded section. False when the
  // file ends early.
  template <class Look>
  [[nodiscard]] bool for_each(Look look) const;

  [[nodiscard]] const ElfFile& file() const { return *file_; }
  [[nodiscard]] const ElfSection& strings() const { return *strings_; }
  // The number of symbols that are looked at.
  [[nodiscard]] std::uint64_t size() const { return std::min(symbols_->size / symbols_->entry_size, max_symbols); }
  [[nodiscard]] bool is_dynamic() const { return symbols_->type == SHT_DYNSYM; }

 private:
  // The largest known programs have some three million. Symbols beyond this limit are ignored.
  static constexpr std::uint64_t max_symbols = 8'000'000;

  ElfSymbolTable(const ElfFile& file, const ElfSection& symbols, const ElfSection& strings);
  template <class Raw, class Look>
  [[nodiscard]] bool stream(Look& look) const;

  const ElfFile* file_;
  const ElfSection* symbols_;
  const ElfSection* strings_;
  const ElfSection* numbers_;  // see ElfSectionNumbers; nullptr: the table has none
};

// The numbers of sections that are too large for the field of a symbol. They are in a table of their own, with a number
// for each symbol, of which this reads a small window at a time.
class ElfSectionNumbers {
 public:
  // `table` is null or a section of type SHT_SYMTAB_SHNDX of the file. Both must outlive this.
  ElfSectionNumbers(const ElfFile& file, const ElfSection* table) : file_(&file), table_(table) {}
  // SHN_UNDEF when it cannot be read.
  [[nodiscard]] std::uint32_t of(std::uint32_t symbol);

 private:
  static constexpr std::size_t window_numbers = 2048;

  const ElfFile* file_;
  const ElfSection* table_;
  std::vector<std::uint32_t> window_;
  std::uint32_t begin_ = 0;  // the window holds the numbers of the symbols from here on
};

// Reads names out of a string table. It reads one small window at a time, never the whole table, so it is best to ask
// in ascending order.
class ElfNameReader {
 public:
  // Libraries of expression templates have names of 30 KB. Longer names are cut off here.
  static constexpr std::size_t max_name_bytes = 64 << 10;

  explicit ElfNameReader(const ElfSymbolTable& table) : table_(&table), window_(window_bytes) {}
  // Valid until the next call. Empty when it cannot be read.
  [[nodiscard]] std::string_view read(std::uint32_t name);
  // How many times the file was read.
  [[nodiscard]] std::uint64_t reads() const { return reads_; }

 private:
  // Almost all names are shorter; a larger window is read only for a name that is not.
  static constexpr std::size_t window_bytes = 8192;
  [[nodiscard]] std::optional<std::string_view> in_window(std::uint32_t name) const;

  const ElfSymbolTable* table_;
  std::vector<char> window_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;  // the window holds [begin_, end_) of the strings
  std::uint64_t reads_ = 0;
};

// Calls `visit` with the name of each symbol in the table of that type that is wanted, in the order of the offsets of
// the names: so they are read in one direction. No symbol is visited if the table cannot be read to its end.
void visit_names(const ElfFile& file, std::uint32_t type, const std::function<bool(const ElfTableSymbol&)>& is_wanted,
                 const std::function<void(std::string_view, const ElfTableSymbol&)>& visit);

template <class Look>
bool ElfSymbolTable::for_each(Look look) const {
  return file_->is_64bit() ? stream<Elf64_Sym>(look) : stream<Elf32_Sym>(look);
}

template <class Raw, class Look>
bool ElfSymbolTable::stream(Look& look) const {
  const auto sections = file_->sections();
  std::uint32_t next_index = 0;
  ElfSectionNumbers numbers(*file_, numbers_);
  return file_->for_each_record<Raw>(symbols_->offset, size(), [&](const Raw& raw) {
    const std::uint32_t index = next_index++;
    if (raw.st_name == 0 || raw.st_name >= strings_->size) return;
    // Absolute, common and undefined symbols have reserved numbers.
    const bool is_large = raw.st_shndx == SHN_XINDEX;
    if (raw.st_shndx >= SHN_LORESERVE && !is_large) return;
    const std::uint32_t number = is_large ? numbers.of(index) : raw.st_shndx;
    if (number == SHN_UNDEF || number >= sections.size()) return;
    const ElfSection& section = sections[number];
    if ((section.flags & SHF_ALLOC) == 0) return;
    // Both classes pack type and binding in the same way.
    look(ElfTableSymbol{index, raw.st_name, static_cast<std::uint8_t>(ELF64_ST_TYPE(raw.st_info)),
                        static_cast<std::uint8_t>(ELF64_ST_BIND(raw.st_info)), raw.st_value, raw.st_size, &section});
  });
}

}  // namespace profile
