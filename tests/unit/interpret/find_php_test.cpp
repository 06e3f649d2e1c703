// The layout of PHP is found in files that are built byte by byte.
#include <doctest/doctest.h>

#include <string>

#include "../made_interpreter.h"
#include "interpret/interpreter.h"
#include "unwind/build.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t function_at = 0x400;  // in the code
constexpr std::uint64_t function_bytes = 0x1800;
constexpr std::uint64_t globals_address = 0x600000;

struct MadePhp {
  std::string build = "API20220829,NTS";
  bool has_globals = true;
  std::uint16_t machine = EM_X86_64;
};

std::string made_php(const MadePhp& php) {
  const std::string text(0x4000, '\x90');
  MadeFrames frames;
  const std::size_t common = frames.common();
  frames.function(common, made_code_address + function_at, function_bytes, bytes({0x40 | 17, 0x0e}) + uleb(64));
  frames.function(common, made_code_address + 0x3000, 0x100, "");
  MadeSymbols symbols;
  symbols.add_function("execute_ex", made_code_address + function_at, function_bytes);
  if (php.has_globals) symbols.add_data("executor_globals", globals_address, 1024);
  // The text lies across the border of what is read at once, behind one that only looks like it.
  std::string constants = "API20no," + std::string((1 << 16) - 12, '\0') + php.build + '\0' + std::string(64, '\0');
  const std::string data(1024, '\0');
  return made_file({.text = text,
                    .frames = frames.content(),
                    .data = data,
                    .data_address = globals_address,
                    .symbols = symbols,
                    .machine = php.machine,
                    .more = {{.name = ".rodata", .content = constants, .flags = SHF_ALLOC, .address = 0x900000}}});
}

Interpreter found_in(const MadePhp& made) {
  const std::string file = made_php(made);
  WorkBudget budget(UINT64_MAX);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE_MESSAGE(elf, why);
  UnwindAnswer answer = unwind_table_of(*elf);
  Interpreter found = find_interpreter(*elf, "/usr/bin/php8.2", answer.table);
  CHECK(is_sound(answer.table));
  return found;
}

}  // namespace

TEST_CASE("PHP's frames begin at a global, and its version is that of its modules") {
  const Interpreter php = found_in({});
  CHECK(php.language == SCRIPT_PHP);
  CHECK(text_of(php.fault) == text_of(InterpreterFault::none));
  CHECK(php.version == "8.2");
  CHECK(is_sound(php.layout));
  CHECK(php.layout.head == SCRIPT_HEAD_GLOBAL);
  CHECK(php.layout.head_at == globals_address + 488 - (made_code_address - made_code_offset));
  CHECK(php.layout.at[PHP_FUNCTION_FILE] == 152);
  CHECK(php.layout.start == made_code_offset + function_at);
  const Interpreter oldest = found_in({.build = "API20190902,NTS"});
  CHECK(oldest.version == "7.4");
  CHECK(oldest.layout.at[PHP_FUNCTION_FILE] == 136);
  CHECK(oldest.layout.at[PHP_GENERATOR_FRAME] == 64);
}

TEST_CASE("a PHP of another version, build or machine has no layout") {
  const auto fault_of = [](const MadePhp& made) { return text_of(found_in(made).fault); };
  CHECK(fault_of({.build = "API20991231,NTS"}) == text_of(InterpreterFault::unknown_version));
  CHECK(fault_of({.build = "API2022"}) == text_of(InterpreterFault::unknown_version));
  CHECK(fault_of({.build = "API20220829,TS"}) == text_of(InterpreterFault::unknown_build));
  CHECK(fault_of({.build = "API20220829,NTS,debug"}) == text_of(InterpreterFault::unknown_build));
  CHECK(fault_of({.has_globals = false}) == text_of(InterpreterFault::unknown_build));
}
