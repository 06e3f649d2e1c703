#include "elf/dynamic_sections.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace profile {
namespace {

// Real ones have some thirty entries.
constexpr std::uint64_t max_dynamic_entries = 4096;
constexpr std::uint64_t max_symbols = 8'000'000;
// Chains of a hash table have a few entries. Each entry costs a read.
constexpr std::uint64_t longest_chain = 4096;

// The addresses that PT_DYNAMIC gives; 0 where it gives none.
struct DynamicTables {
  std::uint64_t symbols = 0;
  std::uint64_t strings = 0;
  std::uint64_t strings_bytes = 0;
  std::uint64_t hash = 0;
  std::uint64_t gnu_hash = 0;
};

template <class T>
bool read_at(const ElfFile& file, std::uint64_t offset, T& object) {
  return file.read_at(offset, std::as_writable_bytes(std::span(&object, 1)));
}

template <class Dynamic>
DynamicTables tables_of(const ElfFile& file) {
  DynamicTables tables;
  const auto dynamic = std::ranges::find(file.segments(), std::uint32_t{PT_DYNAMIC}, &ElfSegment::type);
  if (dynamic == file.segments().end()) return tables;
  const std::uint64_t count = std::min(dynamic->file_size / sizeof(Dynamic), max_dynamic_entries);
  std::vector<Dynamic> entries(count);
  if (!file.read_records(dynamic->offset, std::span(entries))) return tables;
  for (const auto& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_SYMTAB) tables.symbols = entry.d_un.d_val;
    if (entry.d_tag == DT_STRTAB) tables.strings = entry.d_un.d_val;
    if (entry.d_tag == DT_STRSZ) tables.strings_bytes = entry.d_un.d_val;
    if (entry.d_tag == DT_HASH) tables.hash = entry.d_un.d_val;
    if (entry.d_tag == DT_GNU_HASH) tables.gnu_hash = entry.d_un.d_val;
  }
  return tables;
}

// The number of symbols. The table is sorted by bucket, so the last symbol is at the end of the chain that starts last.
// 0 when the table is damaged.
std::uint64_t count_by_gnu_hash(const ElfFile& file, std::uint64_t address) {
  struct {
    std::uint32_t buckets, first, bloom_words, bloom_shift;
  } header{};
  const auto place = file.place_of({address});
  if (!place || !read_at(file, place->offset, header) || header.buckets > max_symbols) return 0;
  const std::uint64_t word_bytes = file.is_64bit() ? 8 : 4;
  const std::uint64_t buckets_at = place->offset + sizeof header + header.bloom_words * word_bytes;
  std::uint64_t last = 0;
  const auto look = [&last](std::uint32_t first_of_chain) { last = std::max<std::uint64_t>(last, first_of_chain); };
  if (!file.for_each_record<std::uint32_t>(buckets_at, header.buckets, look)) return 0;
  if (last < header.first) return header.first;  // no symbol is defined in this file
  const std::uint64_t chains_at = buckets_at + header.buckets * std::uint64_t{4};
  for (const std::uint64_t end = last + longest_chain; last < end; ++last) {
    std::uint32_t hash = 0;
    if (!read_at(file, chains_at + (last - header.first) * 4, hash)) return 0;
    if ((hash & 1U) != 0) return last + 1;
  }
  return 0;
}

std::uint64_t count_by_hash(const ElfFile& file, std::uint64_t address) {
  struct {
    std::uint32_t buckets, chains;  // there are as many chains as symbols
  } header{};
  const auto place = file.place_of({address});
  return place && read_at(file, place->offset, header) ? header.chains : 0;
}

// The highest section number that a symbol uses; 0 when no symbol lies in a section. These numbers mean nothing any
// more, but each needs a section.
template <class Symbol>
std::uint64_t highest_section(const ElfFile& file, std::uint64_t offset, std::uint64_t count) {
  std::uint64_t highest = 0;
  const auto look = [&highest](const Symbol& symbol) {
    if (symbol.st_shndx < SHN_LORESERVE) highest = std::max<std::uint64_t>(highest, symbol.st_shndx);
  };
  return file.for_each_record<Symbol>(offset, count, look) ? highest : 0;
}

template <class Dynamic, class Symbol>
std::optional<ElfFile> with_sections_of(const ElfFile& file) {
  const DynamicTables tables = tables_of<Dynamic>(file);
  const auto symbols = file.place_of({tables.symbols});
  const auto strings = file.place_of({tables.strings});
  if (tables.symbols == 0 || tables.strings == 0 || !symbols || !strings) return std::nullopt;
  std::uint64_t count = 0;
  if (tables.gnu_hash != 0) count = count_by_gnu_hash(file, tables.gnu_hash);
  if (count == 0 && tables.hash != 0) count = count_by_hash(file, tables.hash);
  constexpr std::uint64_t symbol_bytes = sizeof(Symbol);
  count = std::min({count, max_symbols, symbols->bytes / symbol_bytes});
  const std::uint64_t highest = highest_section<Symbol>(file, symbols->offset, count);
  const auto code = std::ranges::find_if(file.segments(), &ElfSegment::is_code);
  if (highest == 0 || code == file.segments().end()) return std::nullopt;

  if (!file.spend(highest * sizeof(ElfSection))) return std::nullopt;
  // Every section that a symbol may name stands for all of the code.
  const ElfSection all_code{.type = SHT_PROGBITS,
                            .flags = SHF_ALLOC | SHF_EXECINSTR,
                            .address = code->address,
                            .offset = code->offset,
                            .size = code->file_size};
  std::vector<ElfSection> sections(highest + 1, all_code);
  sections[0] = {};
  const auto strings_number = static_cast<std::uint32_t>(sections.size());
  sections.push_back({.type = SHT_STRTAB,
                      .flags = SHF_ALLOC,
                      .address = tables.strings,
                      .offset = strings->offset,
                      .size = std::min(tables.strings_bytes, strings->bytes)});
  sections.push_back({.type = SHT_DYNSYM,
                      .flags = SHF_ALLOC,
                      .address = tables.symbols,
                      .offset = symbols->offset,
                      .size = count * symbol_bytes,
                      .link = strings_number,
                      .entry_size = symbol_bytes});
  return file.with_sections(std::move(sections));
}

}  // namespace

std::optional<ElfFile> with_dynamic_sections(const ElfFile& file) {
  if (!file.sections().empty()) return std::nullopt;
  return file.is_64bit() ? with_sections_of<Elf64_Dyn, Elf64_Sym>(file) : with_sections_of<Elf32_Dyn, Elf32_Sym>(file);
}

}  // namespace profile
