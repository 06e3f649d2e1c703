// The layout of Perl is found in files that are built byte by byte.
#include <doctest/doctest.h>

#include <string>

#include "../made_interpreter.h"
#include "interpret/interpreter.h"
#include "unwind/build.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t function_at = 0x400;  // in the code, like the next ones
constexpr std::uint64_t function_bytes = 76;
constexpr std::uint64_t eval_at = 0x800;
constexpr std::uint64_t eval_bytes = 80;
constexpr std::uint64_t catch_at = 0xc00;
constexpr std::uint64_t catch_bytes = 0x120;
constexpr std::uint64_t data_address = 0x600000;
constexpr std::uint64_t version_at = data_address;
constexpr std::uint64_t key_at = data_address + 16;
constexpr std::uint64_t operations_at = data_address + 64;
constexpr std::uint64_t operations_bytes = 8 * 420;

struct MadePerl {
  unsigned revision = 5;
  unsigned version = 36;
  std::uint64_t eval_number = 347;
  bool has_key = true;
  bool is_relocated = true;
  bool hands_itself = true;
  bool calls = false;  // and does not jump
  std::uint16_t machine = EM_X86_64;
};

std::string made_perl(const MadePerl& perl) {
  std::string text(0x1000, '\x90');
  const auto put = [&text](std::uint64_t at, const std::string& code) { text.replace(at, code.size(), code); };
  const auto distance = [](std::uint64_t from, std::uint64_t to) {
    return bytes_of(static_cast<std::int32_t>(to - from));
  };
  put(eval_at + 4, bytes({0xe8}) + distance(eval_at + 9, function_at));  // another call
  const std::uint64_t handed = perl.hands_itself ? eval_at : function_at;
  put(eval_at + 40, bytes({0x48, 0x8d, 0x35}) + distance(eval_at + 47, handed) + bytes({0x5b}));
  put(eval_at + 48, bytes({perl.calls ? 0xe8U : 0xe9U}) + distance(eval_at + 53, catch_at));
  MadeFrames frames;
  const std::size_t common = frames.common();
  frames.function(common, made_code_address + function_at, function_bytes, bytes({0x40 | 17, 0x0e}) + uleb(32));
  frames.function(common, made_code_address + eval_at, eval_bytes, "");
  frames.function(common, made_code_address + catch_at, catch_bytes, "");
  MadeSymbols symbols;
  symbols.add_function("Perl_runops_standard", made_code_address + function_at, function_bytes);
  symbols.add_data("PL_revision", version_at, 1);
  symbols.add_data("PL_version", version_at + 1, 1);
  symbols.add_data("PL_subversion", version_at + 2, 1);
  if (perl.has_key) symbols.add_data("PL_thr_key", key_at, 4);
  symbols.add_data("PL_ppaddr", operations_at, operations_bytes);
  std::string data(64 + operations_bytes, '\0');
  data[0] = static_cast<char>(perl.revision);
  data[1] = static_cast<char>(perl.version);
  std::string relocations;
  const std::uint64_t entry_at = operations_at + 8 * perl.eval_number;
  if (perl.is_relocated) {
    Elf64_Rela made{};
    made.r_offset = entry_at;
    made.r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
    made.r_addend = made_code_address + eval_at;
    relocations = bytes_of(made);
  } else {
    data.replace(entry_at - data_address, 8, bytes_of(made_code_address + eval_at));
  }
  return made_file(
      {.text = text,
       .frames = frames.content(),
       .data = data,
       .data_address = data_address,
       .symbols = symbols,
       .machine = perl.machine,
       .more = {{.name = ".rela.dyn", .content = relocations, .type = SHT_RELA, .flags = SHF_ALLOC, .link = 5}}});
}

Interpreter found_in(const MadePerl& made) {
  const std::string file = made_perl(made);
  WorkBudget budget(UINT64_MAX);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE_MESSAGE(elf, why);
  UnwindAnswer answer = unwind_table_of(*elf);
  Interpreter found = find_interpreter(*elf, "/usr/bin/perl", answer.table);
  CHECK(is_sound(answer.table));
  return found;
}

}  // namespace

TEST_CASE("Perl's interpreter is under a key of the thread, and what runs an eval is called by the operation for it") {
  for (const bool is_relocated : {false, true}) {
    for (const bool calls : {false, true}) {
      const Interpreter perl = found_in({.is_relocated = is_relocated, .calls = calls});
      CHECK(perl.language == SCRIPT_PERL);
      CHECK(text_of(perl.fault) == text_of(InterpreterFault::none));
      CHECK(perl.version == "5.36.0");
      CHECK(is_sound(perl.layout));
      const script_layout& layout = perl.layout;
      CHECK(layout.head_at == key_at - (made_code_address - made_code_offset));
      CHECK(layout.start == made_code_offset + function_at);
      CHECK(layout.at[PERL_STACK] == 0xd8);
      CHECK(layout.at[PERL_SCRIPT_NAME] == 0x5c0);
      CHECK(layout.at[PERL_NAME_IS_OWN] == 1);
      CHECK(layout.at[PERL_CATCH] == made_code_offset + catch_at);
      CHECK(layout.at[PERL_CATCH_BYTES] == catch_bytes);
    }
  }
  const Interpreter older = found_in({.version = 32});
  CHECK(older.layout.at[PERL_STACK] == 0xe8);
  CHECK(older.layout.at[PERL_NAME_IS_OWN] == 0);
  CHECK(found_in({.version = 40, .eval_number = 350}).layout.at[PERL_SCRIPT_NAME] == 0x4d8);
}

TEST_CASE("a Perl of another version or build has no layout") {
  const auto fault_of = [](const MadePerl& made) { return text_of(found_in(made).fault); };
  for (const unsigned version : {0U, 8U, 28U, 30U, 31U, 33U, 42U, 255U}) {
    CHECK(fault_of({.version = version}) == text_of(InterpreterFault::unknown_version));
  }
  CHECK(fault_of({.revision = 7}) == text_of(InterpreterFault::unknown_version));
  CHECK(fault_of({.has_key = false}) == text_of(InterpreterFault::unknown_build));
  CHECK(fault_of({.machine = EM_AARCH64}) == text_of(InterpreterFault::other_machine));
  CHECK(fault_of({.eval_number = 346}) == text_of(InterpreterFault::unknown_code));
  CHECK(fault_of({.hands_itself = false}) == text_of(InterpreterFault::unknown_code));
}
