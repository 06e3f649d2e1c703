#include "elf/data_symbols.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "elf/symbol_table.h"

namespace profile {

void resolve_data(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  std::vector<std::uint64_t> sizes(addresses.size(), UINT64_MAX);  // of the variable that names each so far
  const auto first_in = [&](const ElfTableSymbol& symbol) {
    return std::ranges::lower_bound(addresses, ElfAddress{symbol.start}) - addresses.begin();
  };
  const auto holds = [&](const ElfTableSymbol& symbol, std::size_t i) {
    return i < addresses.size() && addresses[i].value - symbol.start < symbol.size;
  };
  const auto is_wanted = [&](const ElfTableSymbol& symbol) {
    return symbol.type == STT_OBJECT && holds(symbol, static_cast<std::size_t>(first_in(symbol)));
  };
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    visit_names(file, type, is_wanted, [&](std::string_view name, const ElfTableSymbol& symbol) {
      if (name.empty()) return;
      for (auto i = static_cast<std::size_t>(first_in(symbol)); holds(symbol, i) && file.spend(1); ++i) {
        Symbol& answer = answers[i];
        const bool is_named = answer.unnamed == Unnamed::named;
        if (is_named && (symbol.size > sizes[i] || (symbol.size == sizes[i] && !better_alias(name, answer.name)))) {
          continue;
        }
        answer.name = name.substr(0, name.find('@'));
        answer.start = symbol.start;
        answer.unnamed = Unnamed::named;
        sizes[i] = symbol.size;
      }
    });
  }
}

}  // namespace profile
