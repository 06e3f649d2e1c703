#include "elf/symbol_table.h"

#include <bit>
#include <cstring>

namespace profile {

std::optional<ElfSymbolTable> ElfSymbolTable::find(const ElfFile& file, std::uint32_t type, bool& damaged) {
  for (const ElfSection& symbols : file.sections()) {
    if (symbols.type != type) continue;
    const std::size_t entry_bytes = file.is_64bit() ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    const bool readable = symbols.entry_size == entry_bytes && symbols.link < file.sections().size() &&
                          file.holds(symbols) && file.sections()[symbols.link].type == SHT_STRTAB &&
                          file.holds(file.sections()[symbols.link]);
    if (readable) return ElfSymbolTable(file, symbols, file.sections()[symbols.link]);
    damaged = true;
    return std::nullopt;
  }
  return std::nullopt;
}

ElfSymbolTable::ElfSymbolTable(const ElfFile& file, const ElfSection& symbols, const ElfSection& strings)
    : file_(&file), symbols_(&symbols), strings_(&strings), numbers_(nullptr) {
  const std::span<const ElfSection> sections = file.sections();
  const auto own = static_cast<std::uint64_t>(&symbols - sections.data());
  for (const ElfSection& section : sections) {
    if (section.type == SHT_SYMTAB_SHNDX && section.link == own) numbers_ = &section;
  }
}

std::uint32_t ElfSectionNumbers::of(std::uint32_t symbol) {
  if (table_ == nullptr) return SHN_UNDEF;
  if (symbol < begin_ || symbol - begin_ >= window_.size()) {
    const std::uint64_t all = table_->size / sizeof(std::uint32_t);
    if (symbol >= all) return SHN_UNDEF;
    begin_ = symbol;
    window_.resize(std::min<std::uint64_t>(window_numbers, all - symbol));
    if (!file_->read_records(table_->offset + symbol * sizeof(std::uint32_t), std::span(window_))) {
      window_.clear();
      table_ = nullptr;
      return SHN_UNDEF;
    }
  }
  return window_[symbol - begin_];
}

std::optional<std::string_view> ElfNameReader::in_window(std::uint32_t name) const {
  if (name < begin_ || name >= end_) return std::nullopt;
  const std::size_t most = std::min<std::uint64_t>(end_ - name, max_name_bytes);
  const char* const text = window_.data() + (name - begin_);
  const void* const end = std::memchr(text, 0, most);
  // A text without an end is whole only when it has the maximal length.
  if (end == nullptr && most != max_name_bytes) return std::nullopt;
  const auto size = end == nullptr ? most : static_cast<std::size_t>(static_cast<const char*>(end) - text);
  // Many symbols may share a long name, or have parts of it as theirs.
  return table_->file().spend(size) ? std::string_view(text, size) : std::string_view{};
}

std::string_view ElfNameReader::read(std::uint32_t name) {
  if (const auto text = in_window(name)) return *text;
  const ElfSection& strings = table_->strings();
  if (name >= strings.size) return {};
  for (const std::size_t most : {window_bytes, max_name_bytes}) {
    const std::size_t size = std::min<std::uint64_t>(most, strings.size - name);
    begin_ = end_ = 0;
    ++reads_;
    if (window_.size() < size) window_.resize(size);
    const auto window = std::as_writable_bytes(std::span(window_).first(size));
    if (!table_->file().read_at(strings.offset + name, window)) return {};
    begin_ = name;
    end_ = name + size;
    if (const auto text = in_window(name)) return *text;
  }
  return {};
}

void visit_names(const ElfFile& file, std::uint32_t type, const std::function<bool(const ElfTableSymbol&)>& is_wanted,
                 const std::function<void(std::string_view, const ElfTableSymbol&)>& visit) {
  bool damaged = false;
  const auto table = ElfSymbolTable::find(file, type, damaged);
  if (!table) return;
  std::vector<ElfTableSymbol> symbols;
  const bool whole = table->for_each([&](const ElfTableSymbol& symbol) {
    if (is_wanted(symbol)) symbols.push_back(symbol);
  });
  if (!whole || !file.spend(symbols.size() * std::bit_width(symbols.size()))) return;
  std::ranges::sort(symbols, {}, &ElfTableSymbol::name);
  ElfNameReader names(*table);
  for (const ElfTableSymbol& symbol : symbols) {
    const std::string_view name = names.read(symbol.name);
    if (!file.spend(0)) return;
    visit(name, symbol);
  }
}

}  // namespace profile
