#include "parse/file_symbols.h"

#include <algorithm>
#include <vector>

#include "elf/data_symbols.h"
#include "elf/dynamic_sections.h"
#include "elf/file.h"
#include "elf/go_functions.h"
#include "elf/mini_debuginfo.h"
#include "elf/plt_symbols.h"
#include "elf/symbols.h"
#include "unwind/function_starts.h"

namespace profile {
namespace {

// What the budget pays for one question to the opener, and for each character of a path: each may be a step on the way.
constexpr std::uint64_t question_steps = 16384;
constexpr std::uint64_t character_steps = 16;

bool all_named(std::span<const Symbol> answers) {
  return std::ranges::all_of(answers, [](const Symbol& symbol) { return symbol.unnamed == Unnamed::named; });
}

// Asks a file that has only symbols, for the same addresses.
void ask_companion(const FileBytes& bytes, std::span<const ElfAddress> addresses, std::span<Symbol> answers,
                   WorkBudget& budget) {
  std::string why;
  if (const auto elf = ElfFile::read(bytes, why, &budget)) resolve_symbols(*elf, addresses, answers);
}

// Gets split-off files from the supplier of debug files.
class HandedSplits final : public SplitFiles {
 public:
  HandedSplits(DebugSupplier& supplier, FileNumber base) : supplier_(supplier), base_(base) {}
  Fd package(WorkBudget& budget) override {
    std::string why;
    return open({.kind = DebugQuestion::Kind::package, .text = {}}, why, budget);
  }
  Fd open(const std::string& path, std::string& why, WorkBudget& budget) override {
    return open({.kind = DebugQuestion::Kind::split, .text = path}, why, budget);
  }

 private:
  Fd open(const DebugQuestion& question, std::string& why, WorkBudget& budget) {
    if (!budget.take(question_steps + character_steps * question.text.size())) return {};
    unsigned next = 0;
    return supplier_.open(question, base_, next, why).fd;
  }

  DebugSupplier& supplier_;
  FileNumber base_;
};

bool has_debug_information(const ElfFile& elf) {
  return elf.section(".debug_info") != nullptr || elf.section(".zdebug_info") != nullptr;
}

}  // namespace

FileSymbols::FileSymbols(const FileBytes& bytes, const FileRef& file, DebugFiles& debug_files, WorkBudget& budget)
    : bytes_(bytes), file_(file), debug_files_(debug_files), budget_(budget) {
  std::string why;
  elf_ = ElfFile::read(bytes, why, &budget);
}

const DebugFile& FileSymbols::debug_file() {
  if (!debug_file_) debug_file_ = bytes_.fd() < 0 ? DebugFile() : debug_files_.find(*elf_, bytes_.fd(), file_);
  return *debug_file_;
}

// `addresses` ascend and are distinct.
void FileSymbols::ask_in_order(std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  const auto dynamic = with_dynamic_sections(*elf_);
  resolve_symbols(dynamic ? *dynamic : *elf_, addresses, answers);
  if (all_named(answers) || budget_.spent()) return;
  resolve_go_functions(*elf_, addresses, answers);
  if (all_named(answers) || budget_.spent()) return;
  std::string why;
  if (const auto unpacked = unpack_mini_debuginfo(*elf_, why))
    ask_companion(unpacked->bytes(), addresses, answers, budget_);
  // Without budget a debug file would not be found, and would be remembered as missing.
  if (all_named(answers) || budget_.spent()) return;
  if (const DebugFile& debug = debug_file()) ask_companion(debug.fd.get(), addresses, answers, budget_);
  if (all_named(answers)) return;
  resolve_stubs(*elf_, addresses, answers);
  if (all_named(answers) || budget_.spent()) return;
  find_function_starts(*elf_, addresses, answers);
}

void FileSymbols::name(std::span<const FileOffset> offsets, std::span<ElfAddress> addresses,
                       std::span<Symbol> answers) {
  if (!elf_) {
    const Unnamed reason = budget_.spent() ? Unnamed::too_large : Unnamed::file_malformed;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      addresses[i] = ElfAddress{offsets[i].value};
      answers[i].unnamed = reason;
      answers[i].valid_range = valid_for_one;
    }
    return;
  }
  // The ELF addresses, sorted: their order may differ from that of the offsets.
  std::vector<ElfAddress> wanted;
  const bool has_code = !elf_->code_segments().empty();
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto address = has_code ? elf_->address_of(offsets[i]) : ElfAddress{offsets[i].value};
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
  if (budget_.spent()) symbols.assign(wanted.size(), Symbol{.name = {}, .unnamed = Unnamed::too_large});
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (answers[i].unnamed == Unnamed::pending) {
      const auto at = std::lower_bound(wanted.begin(), wanted.end(), addresses[i]) - wanted.begin();
      answers[i] = symbols[static_cast<std::size_t>(at)];
      if (answers[i].unnamed == Unnamed::pending) answers[i].unnamed = Unnamed::no_symbol;
    }
    if (has_code) answers[i].valid_range.keep_within(elf_->same_segment_around(offsets[i]));
  }
}

void FileSymbols::name_data(std::span<const ElfAddress> addresses, std::span<Symbol> answers) {
  if (elf_) resolve_data(*elf_, addresses, answers);
  if (elf_ && !all_named(answers) && !budget_.spent()) {
    if (const DebugFile& debug = debug_file()) {
      std::string why;
      const auto elf = ElfFile::read(FileBytes(debug.fd.get()), why, &budget_);
      if (elf) resolve_data(*elf, addresses, answers);
    }
  }
  for (Symbol& answer : answers) {
    if (budget_.spent()) answer = Symbol{.name = {}, .unnamed = Unnamed::too_large};
    if (answer.unnamed == Unnamed::pending) answer.unnamed = Unnamed::no_symbol;
    answer.valid_range = valid_for_one;
  }
}

SourceChains FileSymbols::lines(std::span<const ElfAddress> addresses) {
  // With a spent budget nothing is found, and that would be remembered.
  const bool is_elsewhere = elf_ && !has_debug_information(*elf_) && !budget_.spent() && debug_file();
  const FileBytes source = is_elsewhere ? FileBytes(debug_file().fd.get()) : bytes_;
  std::string why;
  const auto other = is_elsewhere ? ElfFile::read(source, why, &budget_) : std::nullopt;
  const auto& elf = is_elsewhere ? other : elf_;
  const FileNumber number = is_elsewhere ? debug_file().number : file_.number;
  const bool may_share = elf && bytes_.fd() >= 0 && !budget_.spent();
  const DebugFile shared = may_share ? debug_files_.find_alternate(*elf, number, file_) : DebugFile();
  HandedSplits splits(debug_files_.supplier(), file_.number);
  return read_source_lines(source, shared ? FileBytes(shared.fd.get()) : FileBytes(), addresses, &splits, &budget_);
}

}  // namespace profile
