// Finds the interpreter of Ruby in its library. The version is a symbol. The places in its structures are
// those of its own headers (vm_core.h, iseq.h, internal/string.h).
#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>
#include <string>

#include "elf/symbol_table.h"
#include "interpret/languages.h"

namespace profile {
namespace {

struct RubyVersion {
  unsigned major;
  unsigned minor;
  std::uint32_t frame_bytes;
  bool line_is_tagged;
  std::uint32_t text_at;
};

// Those that were seen to be right: tests/workloads/scripts/mix.rb. Before 3.0 the context is that of whichever thread
// has the lock, so the others would get its functions.
constexpr std::array ruby_versions{
    RubyVersion{3, 1, 64, true, 16},
};

struct RubySymbols {
  std::uint64_t version = 0;
  std::optional<std::uint64_t> context;  // offset among the thread's variables of this file
  std::uint32_t context_number = 0;      // of the symbol in its table
};

RubySymbols ruby_symbols_of(const ElfFile& file) {
  RubySymbols found;
  visit_names(
      file, SHT_DYNSYM, [](const ElfTableSymbol& symbol) { return symbol.binding != STB_LOCAL; },
      [&](std::string_view name, const ElfTableSymbol& symbol) {
        if (name == "ruby_version") found.version = symbol.start;
        if (name == "ruby_current_ec" && symbol.type == STT_TLS) {
          found.context = symbol.start;
          found.context_number = symbol.index;
        }
      });
  return found;
}

// "3.1.2"; empty when it cannot be read.
std::string text_at(const ElfFile& file, std::uint64_t address) {
  std::array<char, 16> text{};
  const auto offset = file.offset_of({address});
  if (address == 0 || !offset || !file.read_at(offset->value, std::as_writable_bytes(std::span(text)))) return {};
  const auto end = std::ranges::find_if(text, [](char c) { return c != '.' && (c < '0' || c > '9'); });
  return {text.begin(), end};
}

const RubyVersion* ruby_version_of(std::string_view text) {
  const auto known = std::ranges::find_if(ruby_versions, [text](const RubyVersion& version) {
    return text.starts_with(std::to_string(version.major) + '.' + std::to_string(version.minor) + '.');
  });
  return known == ruby_versions.end() ? nullptr : &*known;
}

// The address of the word where the dynamic linker puts the number of this file's variables of threads. 0: none.
std::uint64_t module_number_at(const ElfFile& file, std::uint32_t context_number) {
  const ElfSection* const relocations = file.section(".rela.dyn");
  if (relocations == nullptr || relocations->type != SHT_RELA) return 0;
  std::uint64_t own = 0;
  std::uint64_t of_context = 0;
  const bool is_whole = file.for_each_record<Elf64_Rela>(relocations->offset, relocations->size / sizeof(Elf64_Rela),
                                                         [&](const Elf64_Rela& relocation) {
                                                           if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_DTPMOD64)
                                                             return;
                                                           const std::uint64_t symbol = ELF64_R_SYM(relocation.r_info);
                                                           if (symbol == 0) own = relocation.r_offset;
                                                           if (symbol == context_number)
                                                             of_context = relocation.r_offset;
                                                         });
  if (!is_whole) return 0;
  return of_context != 0 ? of_context : own;
}

// The interpreter's function calls one large function for the code itself. nullopt: there is none, or more than one.
std::optional<CodeRange> core_of(const ElfFile& file, const CodeRange& function, std::span<const std::byte> code) {
  constexpr std::uint64_t least_bytes = 1 << 14;
  constexpr std::byte call{0xe8};
  const std::vector<CodeRange> described = described_code(file);
  std::set<std::uint64_t> starts;
  std::optional<CodeRange> core;
  for (std::size_t at = 0; at + 5 <= code.size(); ++at) {
    if (code[at] != call) continue;
    std::int32_t by = 0;
    std::memcpy(&by, code.data() + at + 1, sizeof by);
    const std::uint64_t target = function.start + at + 5 + static_cast<std::uint64_t>(std::int64_t{by});
    const auto range = std::ranges::lower_bound(described, target, {}, &CodeRange::start);
    if (range == described.end() || range->start != target || range->bytes < least_bytes) continue;
    if (starts.insert(target).second) core = *range;
  }
  return starts.size() == 1 ? core : std::nullopt;
}

}  // namespace

bool is_sound_ruby(const script_layout& layout) {
  constexpr std::uint32_t most = 1 << 20;  // of a file's variables of threads
  const std::uint32_t frame_bytes = layout.at[RUBY_FRAME_BYTES];
  const std::uint32_t text_at = layout.at[RUBY_TEXT_AT];
  return layout.head == SCRIPT_HEAD_OF_MODULE && layout.at[RUBY_THREAD_OFFSET] < most &&
         (frame_bytes == 56 || frame_bytes == 64) && (text_at == 16 || text_at == 24);
}

FoundInterpreter find_ruby(const ElfFile& file, std::string_view /*path*/, const UnwindTable& table,
                           const FoundCode& function) {
  FoundInterpreter found;
  Interpreter& interpreter = found.interpreter;
  const auto without = [&](InterpreterFault fault) {
    interpreter.fault = fault;
    return found;
  };
  const RubySymbols symbols = ruby_symbols_of(file);
  interpreter.version = text_at(file, symbols.version);
  const RubyVersion* const known = ruby_version_of(interpreter.version);
  if (known == nullptr) return without(InterpreterFault::unknown_version);
  if (table.elf_machine != EM_X86_64) return without(InterpreterFault::other_machine);
  if (!symbols.context || *symbols.context > UINT32_MAX) return without(InterpreterFault::unknown_build);
  const std::uint64_t module_at = module_number_at(file, symbols.context_number);
  if (module_at == 0) return without(InterpreterFault::unknown_build);

  const auto code = code_of(file, function);
  if (!code) return without(InterpreterFault::unknown_code);
  script_layout& layout = interpreter.layout;
  layout.head = SCRIPT_HEAD_OF_MODULE;
  layout.start = static_cast<std::uint32_t>(code->own.start);
  // The caller has put the frame in its place already.
  layout.valid_from = 0;
  layout.head_at = static_cast<std::int64_t>(module_at - code->bias);
  layout.at[RUBY_THREAD_OFFSET] = static_cast<std::uint32_t>(*symbols.context);
  layout.at[RUBY_FRAME_BYTES] = known->frame_bytes;
  layout.at[RUBY_LINE_IS_TAGGED] = known->line_is_tagged ? 1 : 0;
  layout.at[RUBY_TEXT_AT] = known->text_at;
  found.code.push_back(code->own);
  const unwind_rule body = rule_at(table, {code->own.start + code->own.bytes / 2});
  if (const auto moved = moved_code(file, code->own, table, body, code->code)) found.code.push_back(*moved);
  if (const auto core = core_of(file, code->own, code->code); core && core->start + core->bytes <= UINT32_MAX) {
    layout.at[RUBY_CORE] = static_cast<std::uint32_t>(core->start);
    layout.at[RUBY_CORE_BYTES] = static_cast<std::uint32_t>(core->bytes);
    found.code.push_back(*core);
  }
  std::ranges::sort(found.code, {}, &CodeRange::start);
  return found;
}

}  // namespace profile
