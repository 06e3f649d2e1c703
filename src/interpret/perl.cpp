// Finds the interpreter of Perl 5.32 to 5.40, built with threads, as distributions do. The version is in three
// variables. The places in its structures are those of its own headers (intrpvar.h, cop.h, hv.h).
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "elf/symbol_table.h"
#include "interpret/languages.h"

namespace profile {
namespace {

struct PerlVersion {
  unsigned version;
  std::uint32_t entertry;  // number of the operation that begins an eval
  std::uint32_t stack;     // as PERL_STACK
  std::uint32_t script_name;
  bool name_is_own;
};

constexpr std::array perl_versions{
    PerlVersion{32, 347, 0xe8, 0x5d0, false},
    PerlVersion{36, 347, 0xd8, 0x5c0, true},
    PerlVersion{40, 350, 0xd8, 0x4d8, true},
};

struct PerlSymbols {
  std::uint64_t revision = 0;
  std::uint64_t version = 0;
  std::uint64_t subversion = 0;
  std::uint64_t thread_key = 0;
  std::uint64_t operations = 0;  // the array of their functions
};

PerlSymbols perl_symbols_of(const ElfFile& file) {
  PerlSymbols found;
  visit_names(
      file, SHT_DYNSYM, [](const ElfTableSymbol& symbol) { return symbol.type == STT_OBJECT; },
      [&](std::string_view name, const ElfTableSymbol& symbol) {
        if (name == "PL_revision") found.revision = symbol.start;
        if (name == "PL_version") found.version = symbol.start;
        if (name == "PL_subversion") found.subversion = symbol.start;
        if (name == "PL_thr_key") found.thread_key = symbol.start;
        if (name == "PL_ppaddr") found.operations = symbol.start;
      });
  return found;
}

// The address that stands at `at` when the file is loaded. 0: none.
std::uint64_t pointer_at(const ElfFile& file, std::uint64_t at) {
  const ElfSection* const relocations = file.section(".rela.dyn");
  std::uint64_t pointer = 0;
  if (relocations != nullptr && relocations->type == SHT_RELA) {
    const bool is_whole = file.for_each_record<Elf64_Rela>(
        relocations->offset, relocations->size / sizeof(Elf64_Rela), [&](const Elf64_Rela& relocation) {
          const bool is_pointer = ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE;
          if (is_pointer && relocation.r_offset == at) pointer = static_cast<std::uint64_t>(relocation.r_addend);
        });
    if (!is_whole) return 0;
  }
  if (pointer != 0) return pointer;
  // A program that is always loaded at the same address.
  return number_at<std::uint64_t>(file, at).value_or(0);
}

// The function that runs code which an exception may end. The operation that begins an eval hands itself to it: it puts
// its own address into the second argument, and calls or jumps. nullopt: its code is another.
std::optional<CodeRange> catch_function(const ElfFile& file, std::uint64_t operation) {
  constexpr std::size_t most_bytes = 256;
  const auto place = file.place_of({operation});
  if (!place) return std::nullopt;
  const std::vector<CodeRange> described = described_code(file);
  const auto starts_at = [&described](std::uint64_t offset) -> std::optional<CodeRange> {
    const auto range = std::ranges::lower_bound(described, offset, {}, &CodeRange::start);
    if (range == described.end() || range->start != offset) return std::nullopt;
    return *range;
  };
  const auto own = starts_at(place->offset);
  if (!own || own->bytes > most_bytes || own->bytes > place->bytes) return std::nullopt;
  std::vector<std::byte> code(own->bytes);
  if (!file.read_at(own->start, code)) return std::nullopt;
  const auto number_at = [&code](std::size_t at) {
    std::int32_t number = 0;
    std::memcpy(&number, code.data() + at, sizeof number);
    return static_cast<std::uint64_t>(std::int64_t{number});
  };
  constexpr std::array address_of{std::byte{0x48}, std::byte{0x8d}, std::byte{0x35}};  // lea rsi, [rip + number]
  constexpr std::byte call{0xe8};
  constexpr std::byte jump{0xe9};
  bool hands_itself = false;
  for (std::size_t at = 0; at + 5 <= code.size(); ++at) {
    const bool is_address = at + 7 <= code.size() && std::ranges::equal(std::span(code).subspan(at, 3), address_of);
    if (is_address && at + 7 + number_at(at + 3) == 0) {
      hands_itself = true;
      at += 6;
    } else if (hands_itself && (code[at] == call || code[at] == jump)) {
      return starts_at(own->start + at + 5 + number_at(at + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_sound_perl(const script_layout& layout) {
  constexpr std::uint32_t most = 4096;
  return layout.head == SCRIPT_HEAD_BY_KEY && layout.at[PERL_STACK] % 8 == 0 && layout.at[PERL_STACK] >= 8 &&
         layout.at[PERL_STACK] < most && layout.at[PERL_SCRIPT_NAME] % 8 == 0 && layout.at[PERL_SCRIPT_NAME] < most &&
         layout.at[PERL_CATCH_BYTES] <= UINT32_MAX - layout.at[PERL_CATCH];
}

FoundInterpreter find_perl(const ElfFile& file, std::string_view /*path*/, const UnwindTable& table,
                           const FoundCode& function) {
  FoundInterpreter found;
  Interpreter& interpreter = found.interpreter;
  const auto without = [&](InterpreterFault fault) {
    interpreter.fault = fault;
    return found;
  };
  const PerlSymbols symbols = perl_symbols_of(file);
  const auto revision = number_at<std::uint8_t>(file, symbols.revision);
  const auto version = number_at<std::uint8_t>(file, symbols.version);
  const auto subversion = number_at<std::uint8_t>(file, symbols.subversion);
  if (!revision || !version || !subversion) return without(InterpreterFault::unknown_version);
  interpreter.version = std::to_string(*revision);
  for (const unsigned part : {*version, *subversion}) interpreter.version.append(1, '.').append(std::to_string(part));
  const auto known = std::ranges::find(perl_versions, *version, &PerlVersion::version);
  if (*revision != 5 || known == perl_versions.end()) return without(InterpreterFault::unknown_version);
  // A build without threads has its interpreter in variables.
  if (symbols.thread_key == 0 || symbols.operations == 0) return without(InterpreterFault::unknown_build);
  if (table.elf_machine != EM_X86_64) return without(InterpreterFault::other_machine);

  const auto code = code_of(file, function);
  const std::uint64_t eval = pointer_at(file, symbols.operations + sizeof(std::uint64_t) * known->entertry);
  const auto catching = catch_function(file, eval);
  if (!code || !catching || catching->start + catching->bytes > UINT32_MAX) {
    return without(InterpreterFault::unknown_code);
  }
  script_layout& layout = interpreter.layout;
  layout.head = SCRIPT_HEAD_BY_KEY;
  layout.start = static_cast<std::uint32_t>(code->own.start);
  // The caller has put the frame in its place already.
  layout.valid_from = 0;
  layout.head_at = static_cast<std::int64_t>(symbols.thread_key - code->bias);
  layout.at[PERL_STACK] = known->stack;
  layout.at[PERL_SCRIPT_NAME] = known->script_name;
  layout.at[PERL_NAME_IS_OWN] = known->name_is_own ? 1 : 0;
  layout.at[PERL_CATCH] = static_cast<std::uint32_t>(catching->start);
  layout.at[PERL_CATCH_BYTES] = static_cast<std::uint32_t>(catching->bytes);
  layout.lines = SCRIPT_LINES_DIRECT;
  found.code.push_back(code->own);
  return found;
}

}  // namespace profile
