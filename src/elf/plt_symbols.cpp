#include "elf/plt_symbols.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/arch.h"
#include "elf/symbol_table.h"
#include "elf/symbols.h"

namespace profile {
namespace {

constexpr std::array<std::string_view, 4> plt_section_names = {".plt", ".plt.sec", ".plt.got", ".iplt"};
// The largest position-independent programs have some million relocations.
constexpr std::uint64_t max_relocations = 8'000'000;

// A stub that is asked for, and what is known about it.
struct Wanted {
  std::size_t answer = 0;
  PltStub stub;
  std::uint32_t symbols = 0;              // number of the section whose symbol fills it in
  std::uint32_t symbol = 0;               // number of that symbol in it; 0: none
  std::optional<std::uint64_t> resolver;  // or the function that fills it in

  [[nodiscard]] std::uint64_t slot() const { return stub.slot.value_or(0); }
};

template <class T>
bool read_one(const ElfFile& file, const ElfSection& section, std::uint64_t index, T& entry) {
  if (!file.holds(section) || index >= section.size / sizeof(T)) return false;
  return file.read_records(section.offset + index * sizeof(T), std::span(&entry, 1));
}

std::vector<const ElfSection*> plt_sections(const ElfFile& file) {
  std::vector<const ElfSection*> found;
  for (const std::string_view name : plt_section_names) {
    const ElfSection* const section = file.section(name);
    if (section != nullptr && section->size > 0 && file.holds(*section)) found.push_back(section);
  }
  return found;
}

std::optional<PltStub> stub_at(const ElfFile& file, const Arch& arch, const ElfSection& section,
                               std::uint64_t address) {
  const std::uint64_t offset = address - section.address;
  const std::uint64_t begin = offset - std::min(offset, stub_reach);
  std::array<std::byte, 2 * stub_reach> window{};
  const auto bytes = std::span(window).first(std::min<std::uint64_t>(window.size(), section.size - begin));
  if (!file.read_at(section.offset + begin, bytes)) return std::nullopt;
  return arch.stub_at({section.address, section.address + begin, bytes}, address);
}

void take(Wanted& wanted, const Arch& arch, const ElfSection& relocations, const Elf64_Rela& entry) {
  const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
  if (type == arch.irelative) {
    wanted.resolver = static_cast<std::uint64_t>(entry.r_addend);
  } else if (type == arch.jump_slot || type == arch.glob_dat) {
    wanted.symbols = relocations.link;
    wanted.symbol = static_cast<std::uint32_t>(ELF64_R_SYM(entry.r_info));
  }
}

// `wanted` is sorted by slot. Of several stubs with the same slot only the first is filled in, so that the time does
// not depend on their number.
void find_relocations(const ElfFile& file, const Arch& arch, const ElfSection& section, std::span<Wanted> wanted) {
  const auto look = [&](const Elf64_Rela& entry) {
    if (entry.r_offset < wanted.front().slot() || entry.r_offset > wanted.back().slot()) return;
    const auto match = std::ranges::lower_bound(wanted, entry.r_offset, {}, &Wanted::slot);
    if (match->slot() == entry.r_offset) take(*match, arch, section, entry);
  };
  const std::uint64_t count = std::min(section.size / sizeof(Elf64_Rela), max_relocations);
  static_cast<void>(file.for_each_record<Elf64_Rela>(section.offset, count, look));
}

void share_among_equals(std::span<Wanted> wanted) {
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    if (wanted[i].slot() != wanted[i - 1].slot()) continue;
    wanted[i].symbols = wanted[i - 1].symbols;
    wanted[i].symbol = wanted[i - 1].symbol;
    wanted[i].resolver = wanted[i - 1].resolver;
  }
}

void find_relocations(const ElfFile& file, const Arch& arch, std::vector<Wanted>& wanted) {
  const auto boundary =
      std::partition(wanted.begin(), wanted.end(), [](const Wanted& one) { return !one.stub.slot.has_value(); });
  const std::span<Wanted> numbered(wanted.begin(), boundary);
  const std::span<Wanted> by_slot(boundary, wanted.end());
  if (!numbered.empty()) {
    const ElfSection* const section = file.section(".rela.plt");
    for (Wanted& one : numbered) {
      Elf64_Rela entry{};
      if (section != nullptr && one.stub.relocation && read_one(file, *section, *one.stub.relocation, entry))
        take(one, arch, *section, entry);
    }
  }
  if (by_slot.empty()) return;
  std::ranges::sort(by_slot, {}, &Wanted::slot);
  for (const ElfSection& section : file.sections()) {
    const bool dynamic = section.type == SHT_RELA && (section.flags & SHF_ALLOC) != 0;
    if (dynamic && file.holds(section)) find_relocations(file, arch, section, by_slot);
  }
  share_among_equals(by_slot);
}

// Gives the stubs their names. It has a limit for all bytes of names, because every symbol of a file may claim a long
// name.
class Namer {
 public:
  Namer(std::span<const ElfAddress> addresses, std::span<Symbol> answers)
      : answers_(answers), budget_bytes_(name_budget_bytes(addresses.size())) {}
  void name(const Wanted& wanted, std::string_view function) {
    if (function.empty() || function.size() > budget_bytes_) return;
    budget_bytes_ -= function.size();
    Symbol& answer = answers_[wanted.answer];
    answer.name = std::string(function) + "@plt";
    answer.start = wanted.stub.start;
    answer.unnamed = Unnamed::named;
  }

 private:
  std::span<Symbol> answers_;
  std::uint64_t budget_bytes_;
};

void name_by_symbols(const ElfFile& file, std::span<const Wanted> wanted, Namer& namer) {
  bool damaged = false;
  const auto table = ElfSymbolTable::find(file, SHT_DYNSYM, damaged);
  if (!table) return;
  ElfNameReader names(*table);
  for (const Wanted& one : wanted) {
    if (one.symbol == 0 || one.symbols >= file.sections().size()) continue;
    const ElfSection& symbols = file.sections()[one.symbols];
    Elf64_Sym symbol{};
    if (symbols.type == SHT_DYNSYM && read_one(file, symbols, one.symbol, symbol) && symbol.st_name != 0)
      namer.name(one, names.read(symbol.st_name));
  }
}

// In a static program some functions choose among implementations (memcpy). The slot of such a function names no
// symbol. It has the address of the chooser, and the chooser has the function's name.
void name_by_resolvers(const ElfFile& file, std::span<const Wanted> wanted, Namer& namer) {
  std::vector<ElfAddress> addresses;
  for (const Wanted& one : wanted) {
    if (one.resolver) addresses.push_back({*one.resolver});
  }
  if (addresses.empty()) return;
  std::ranges::sort(addresses);
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  std::vector<Symbol> symbols(addresses.size());
  resolve_symbols(file, addresses, symbols);
  for (const Wanted& one : wanted) {
    if (!one.resolver) continue;
    const auto found = std::ranges::lower_bound(addresses, ElfAddress{*one.resolver}) - addresses.begin();
    const Symbol& symbol = symbols[static_cast<std::size_t>(found)];
    if (symbol.unnamed == Unnamed::named && symbol.start == *one.resolver) namer.name(one, symbol.name);
  }
}

}  // namespace

void resolve_stubs(const ElfFile& file, std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  const Arch* const arch = arch_of(file);
  const auto sections = arch == nullptr ? std::vector<const ElfSection*>{} : plt_sections(file);
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (answers[i].unnamed == Unnamed::named) continue;
    if (answers[i].unnamed == Unnamed::pending) answers[i].unnamed = Unnamed::no_symbol;
    const std::uint64_t address = addresses[i].value;
    for (const ElfSection* const section : sections) {
      answers[i].valid_range.stop_at(address, section->address);
      answers[i].valid_range.stop_at(address, section->address + section->size);
      if (address < section->address || address - section->address >= section->size) continue;
      answers[i].valid_range = valid_for_one;  // each stub is recognised for itself
      if (const auto stub = stub_at(file, *arch, *section, address)) {
        wanted.push_back({.answer = i, .stub = *stub, .symbols = 0, .symbol = 0, .resolver = {}});
        break;
      }
    }
  }
  if (wanted.empty()) return;
  find_relocations(file, *arch, wanted);
  Namer namer(addresses, answers);
  name_by_symbols(file, wanted, namer);
  name_by_resolvers(file, wanted, namer);
}

}  // namespace profile
