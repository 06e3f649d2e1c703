#include "symbol/file_symbols.h"

#include <algorithm>
#include <vector>

#include "symbol/debug_data.h"
#include "symbol/dynamic_sections.h"
#include "symbol/elf_file.h"
#include "symbol/elf_symbols.h"
#include "symbol/plt_symbols.h"

namespace profile {
namespace {

bool all_named(std::span<const Symbol> answers) {
  return std::all_of(answers.begin(), answers.end(),
                     [](const Symbol& symbol) { return symbol.unnamed == Unnamed::named; });
}

// A file with nothing but symbols, of the same addresses.
void ask_companion(const Fd& fd, std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  std::string why;
  if (!fd) return;
  if (const auto elf = ElfFile::read(fd.get(), why)) ElfSymbols(*elf).resolve(addresses, answers);
}

// `addresses` ascend and are distinct.
void ask_in_order(const ElfFile& elf, int fd, std::string_view path, DebugFiles& debug_files,
                  std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  const auto dynamic = with_dynamic_sections(elf);
  ElfSymbols(dynamic ? *dynamic : elf).resolve(addresses, answers);
  if (all_named(answers)) return;
  std::string why;
  ask_companion(unpack_debug_data(elf, why), addresses, answers);
  if (all_named(answers)) return;
  ask_companion(debug_files.find(elf, fd, path), addresses, answers);
  if (all_named(answers)) return;
  PltSymbols(elf).resolve(addresses, answers);
}

bool has_debug_information(const ElfFile& elf) {
  return elf.section(".debug_info") != nullptr || elf.section(".zdebug_info") != nullptr;
}

}  // namespace

void resolve_file(int fd, std::string_view path, DebugFiles& debug_files, std::span<const FileOffset> offsets,
                  std::span<ElfAddress> addresses, std::span<Symbol> answers) {
  std::string why;
  const auto elf = ElfFile::read(fd, why);
  if (!elf) {
    for (Symbol& answer : answers) answer.unnamed = Unnamed::file_malformed;
    return;
  }
  // By ELF address, whose order need not be that of the offsets.
  std::vector<ElfAddress> wanted;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto address = elf->address_of(offsets[i]);
    addresses[i] = address.value_or(ElfAddress{offsets[i].value});
    if (address)
      wanted.push_back(*address);
    else
      answers[i].unnamed = Unnamed::no_symbol;
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<Symbol> symbols(wanted.size());
  ask_in_order(*elf, fd, path, debug_files, wanted, symbols);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (answers[i].unnamed != Unnamed::pending) continue;
    const auto at = std::lower_bound(wanted.begin(), wanted.end(), addresses[i]) - wanted.begin();
    answers[i] = symbols[static_cast<std::size_t>(at)];
    if (answers[i].unnamed == Unnamed::pending) answers[i].unnamed = Unnamed::no_symbol;
  }
}

SourceChains resolve_lines(int fd, std::string_view path, DebugFiles& debug_files,
                           std::span<const ElfAddress> addresses) {
  std::string why;
  auto elf = ElfFile::read(fd, why);
  Fd debug_file;
  if (elf && !has_debug_information(*elf)) {
    debug_file = debug_files.find(*elf, fd, path);
    if (debug_file) elf = ElfFile::read(debug_file.get(), why);
  }
  const int source = debug_file ? debug_file.get() : fd;
  const Fd shared = elf ? debug_files.find_alternate(*elf, source) : Fd();
  return read_source_lines(source, shared ? shared.get() : -1, addresses);
}

}  // namespace profile
