// The layout of Ruby is found in files that are built byte by byte.
#include <doctest/doctest.h>

#include <cstring>
#include <string>

#include "../made_interpreter.h"
#include "interpret/interpreter.h"
#include "unwind/build.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t function_at = 0x400;  // in the code
constexpr std::uint64_t function_bytes = 0x800;
constexpr std::uint64_t core_at = 0x8000;
constexpr std::uint64_t core_bytes = 0x5000;
constexpr std::uint64_t data_address = 0x600000;
constexpr std::uint64_t own_number_at = data_address + 64;
constexpr std::uint64_t context_number_at = data_address + 80;

struct MadeRuby {
  std::string version = "3.1.2";
  bool has_context = true;
  bool has_number = true;
  bool calls_core = true;
  bool is_hidden = false;  // the function has no symbol
  std::uint16_t machine = EM_X86_64;
};

std::string relocation(std::uint64_t at, std::uint64_t symbol, std::uint64_t type) {
  Elf64_Rela made{};
  made.r_offset = at;
  made.r_info = ELF64_R_INFO(symbol, type);
  return bytes_of(made);
}

std::string made_ruby(const MadeRuby& ruby) {
  std::string text(0x10000, '\x90');
  const auto call = [&text](std::uint64_t from, std::uint64_t to) {
    text.replace(from, 5, bytes({0xe8}) + bytes_of(static_cast<std::int32_t>(to - from - 5)));
  };
  call(function_at + 0x100, 0x3000);  // a small function
  if (ruby.calls_core) {
    call(function_at + 0x200, core_at);
    call(function_at + 0x300, core_at);
  }
  MadeFrames frames;
  const std::size_t common = frames.common();
  frames.function(common, made_code_address + function_at, function_bytes, bytes({0x40 | 17, 0x0e}) + uleb(64));
  frames.function(common, made_code_address + 0x3000, 0x100, "");
  frames.function(common, made_code_address + core_at, core_bytes, "");
  MadeSymbols symbols;
  symbols.add_function(ruby.is_hidden ? "ruby_exec_node" : "rb_vm_exec", made_code_address + function_at,
                       function_bytes);
  symbols.add_data("ruby_version", data_address, ruby.version.size() + 1);
  if (ruby.has_context) symbols.add_data("ruby_current_ec", 8, 8, STT_TLS);
  std::string relocations = relocation(data_address + 96, 3, R_X86_64_GLOB_DAT);
  if (ruby.has_number) {
    relocations +=
        relocation(own_number_at, 0, R_X86_64_DTPMOD64) + relocation(data_address + 72, 1, R_X86_64_DTPMOD64);
    relocations += relocation(context_number_at, 3, R_X86_64_DTPMOD64);
  }
  std::string data = ruby.version;
  data.resize(1024);
  return made_file(
      {.text = text,
       .frames = frames.content(),
       .data = data,
       .data_address = data_address,
       .symbols = symbols,
       .machine = ruby.machine,
       .more = {{.name = ".rela.dyn", .content = relocations, .type = SHT_RELA, .flags = SHF_ALLOC, .link = 5}}});
}

Interpreter found_in(const MadeRuby& made) {
  const std::string file = made_ruby(made);
  WorkBudget budget(UINT64_MAX);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE_MESSAGE(elf, why);
  UnwindAnswer answer = unwind_table_of(*elf);
  Interpreter found = find_interpreter(*elf, "/usr/lib/libruby-3.1.so.3.1", answer.table);
  CHECK(is_sound(answer.table));
  return found;
}

}  // namespace

TEST_CASE("Ruby's frames begin at a variable of the thread, whose file has a number") {
  const Interpreter ruby = found_in({});
  CHECK(ruby.language == SCRIPT_RUBY);
  CHECK(text_of(ruby.fault) == text_of(InterpreterFault::none));
  CHECK(ruby.version == "3.1.2");
  CHECK(is_sound(ruby.layout));
  const script_layout& layout = ruby.layout;
  CHECK(layout.head_at == context_number_at - (made_code_address - made_code_offset));
  CHECK(layout.at[RUBY_THREAD_OFFSET] == 8);
  CHECK(layout.at[RUBY_FRAME_BYTES] == 64);
  CHECK(layout.at[RUBY_LINE_IS_TAGGED] == 1);
  CHECK(layout.at[RUBY_TEXT_AT] == 16);
  CHECK(layout.at[RUBY_CORE] == made_code_offset + core_at);
  CHECK(layout.at[RUBY_CORE_BYTES] == core_bytes);
  const Interpreter alone = found_in({.calls_core = false});
  CHECK(alone.layout.at[RUBY_CORE_BYTES] == 0);
}

TEST_CASE("a Ruby that hides its function is one all the same") {
  const Interpreter ruby = found_in({.is_hidden = true});
  CHECK(ruby.language == SCRIPT_RUBY);
  CHECK(text_of(ruby.fault) == text_of(InterpreterFault::hidden_code));
  CHECK_FALSE(ruby.has_layout());
}

TEST_CASE("a Ruby of another version or build has no layout") {
  const auto fault_of = [](const MadeRuby& made) { return text_of(found_in(made).fault); };
  for (const char* version : {"", "3", "2.7.4", "3.0.1", "3.3.8", "3.5.0", "4.0.1", "33.1.0", "1.9.3"}) {
    CHECK(fault_of({.version = version}) == text_of(InterpreterFault::unknown_version));
  }
  CHECK(fault_of({.has_context = false}) == text_of(InterpreterFault::unknown_build));
  CHECK(fault_of({.has_number = false}) == text_of(InterpreterFault::unknown_build));
}
