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
void ask_companion(const Fd& fd, std::span<const ElfAddress> addresses, std::span<Symbol> answers, WorkBudget& budget) {
  std::string why;
  if (!fd) return;
  if (const auto elf = ElfFile::read(fd.get(), why, &budget)) ElfSymbols(*elf).resolve(addresses, answers);
}

bool has_debug_information(const ElfFile& elf) {
  return elf.section(".debug_info") != nullptr || elf.section(".zdebug_info") != nullptr;
}

}  // namespace

FileSymbols::FileSymbols(int fd, std::string_view path, DebugFiles& debug_files, WorkBudget& budget)
    : fd_(fd), path_(path), debug_files_(debug_files), budget_(budget) {
  std::string why;
  elf_ = ElfFile::read(fd, why, &budget);
}

const Fd& FileSymbols::debug_file() {
  if (!debug_file_) debug_file_ = debug_files_.find(*elf_, fd_, path_);
  return *debug_file_;
}

// `addresses` ascend and are distinct.
void FileSymbols::ask_in_order(std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  const auto dynamic = with_dynamic_sections(*elf_);
  ElfSymbols(dynamic ? *dynamic : *elf_).resolve(addresses, answers);
  if (all_named(answers) || budget_.spent()) return;
  std::string why;
  ask_companion(unpack_debug_data(*elf_, why), addresses, answers, budget_);
  // What is looked for without budget would not be found, and remembered as not there.
  if (all_named(answers) || budget_.spent()) return;
  ask_companion(debug_file(), addresses, answers, budget_);
  if (all_named(answers)) return;
  PltSymbols(*elf_).resolve(addresses, answers);
}

void FileSymbols::name(std::span<const FileOffset> offsets, std::span<ElfAddress> addresses,
                       std::span<Symbol> answers) {
  if (!elf_) {
    for (Symbol& answer : answers) answer.unnamed = Unnamed::file_malformed;
    return;
  }
  // By ELF address, whose order need not be that of the offsets.
  std::vector<ElfAddress> wanted;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto address = elf_->address_of(offsets[i]);
    addresses[i] = address.value_or(ElfAddress{offsets[i].value});
    if (address)
      wanted.push_back(*address);
    else
      answers[i].unnamed = Unnamed::no_symbol;
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<Symbol> symbols(wanted.size());
  ask_in_order(wanted, symbols);
  if (budget_.spent()) symbols.assign(wanted.size(), Symbol{.name = {}, .unnamed = Unnamed::file_malformed});
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (answers[i].unnamed == Unnamed::pending) {
      const auto at = std::lower_bound(wanted.begin(), wanted.end(), addresses[i]) - wanted.begin();
      answers[i] = symbols[static_cast<std::size_t>(at)];
      if (answers[i].unnamed == Unnamed::pending) answers[i].unnamed = Unnamed::no_symbol;
    }
    answers[i].reach.keep_within(elf_->same_segment_around(offsets[i]));
  }
}

SourceChains FileSymbols::lines(std::span<const ElfAddress> addresses) {
  const bool is_elsewhere = elf_ && !has_debug_information(*elf_) && debug_file();
  const int source = is_elsewhere ? debug_file().get() : fd_;
  std::string why;
  const auto other = is_elsewhere ? ElfFile::read(source, why) : std::nullopt;
  const auto& elf = is_elsewhere ? other : elf_;
  const Fd shared = elf ? debug_files_.find_alternate(*elf, source) : Fd();
  return read_source_lines(source, shared ? shared.get() : -1, addresses);
}

}  // namespace profile
