// Tests the table of functions that Go programs carry, and the unwind rules of the functions that change stacks.
#include "elf/go_functions.h"

#include <array>

#include "../made_go.h"
#include "unwind_fixture.h"

namespace profile {
namespace {

using namespace test;

constexpr std::uint64_t code = made_code_address;

std::string file_with(const std::string& table, const std::string& text, const std::string& frames = {},
                      const std::string& section = ".debug_frame") {
  return made_elf({{.name = ".text", .content = text, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = code},
                   {.name = ".gopclntab", .content = table, .flags = SHF_ALLOC, .address = 0x700000},
                   {.name = section, .content = frames, .flags = 0, .address = 0x800000}},
                  EM_X86_64, {code_segment(text.size())});
}

// Calls `look(const ElfFile&)`.
template <class Look>
void with(const std::string& file, Look look, std::uint64_t steps = UINT64_MAX) {
  WorkBudget budget(steps);
  std::string why;
  const auto elf = ElfFile::read(FileBytes(std::as_bytes(std::span(file))), why, &budget);
  REQUIRE_MESSAGE(elf, why);
  look(*elf);
}

TEST_CASE("the functions of a Go program have names, whatever the form of their table") {
  for (const std::uint32_t magic : {0xfffffff1U, 0xfffffff0U, 0xfffffffaU}) {
    CAPTURE(magic);
    const std::string table = made_go_functions(
        {{"main.first", code}, {"main.(*T).second", code + 0x40}, {"main.third", code + 0x50}}, code + 0x80, magic);
    with(file_with(table, std::string(0x100, '\0')), [](const ElfFile& elf) {
      const std::array<ElfAddress, 6> addresses{ElfAddress{code - 1},    ElfAddress{code},
                                                ElfAddress{code + 0x3f}, ElfAddress{code + 0x40},
                                                ElfAddress{code + 0x7f}, ElfAddress{code + 0x80}};
      std::array<Symbol, 6> answers;
      answers[2].unnamed = Unnamed::named;
      answers[2].name = "known";
      resolve_go_functions(elf, addresses, answers);
      const std::array<std::string_view, 6> names{"", "main.first", "known", "main.(*T).second", "main.third", ""};
      for (std::size_t i = 0; i < names.size(); ++i) {
        CAPTURE(i);
        CHECK(answers[i].name == names[i]);
        CHECK((answers[i].unnamed == Unnamed::named) == !names[i].empty());
      }
      CHECK(answers[3].start == code + 0x40);
      CHECK(answers[3].valid_range == ValidRange{.before = 0, .after = 0xf});
      CHECK(answers[4].valid_range == ValidRange{.before = 0x2f, .after = 0});
    });
  }
}

TEST_CASE("functions are found by whole names, and several may have one") {
  const std::string table = made_go_functions({{"runtime.mcall", code},
                                               {"runtime.mcall2", code + 0x10},
                                               {"my/runtime.mcall", code + 0x20},
                                               {"runtime.gogo", code + 0x30},
                                               {"runtime.mcall", code + 0x40}},
                                              code + 0x50);
  with(file_with(table, std::string(0x100, '\0')), [](const ElfFile& elf) {
    const auto functions = GoFunctions::find(elf);
    REQUIRE(functions);
    const std::array<std::string_view, 2> names{"runtime.gogo", "runtime.mcall"};
    const auto found = functions->with_names(names);
    REQUIRE(found.size() == 3);
    CHECK(found[0].function.start == code);
    CHECK(found[0].function.end == code + 0x10);
    CHECK(found[0].name == 1);
    CHECK(found[1].function.start == code + 0x30);
    CHECK(found[1].name == 0);
    CHECK(found[2].function.start == code + 0x40);
  });
}

TEST_CASE("no damaged table of Go does harm") {
  const std::string table = made_go_functions({{"runtime.mcall", code}, {"main.main", code + 0x40}}, code + 0x80);
  for (std::size_t at = 0; at < table.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = table;
      damaged[at] = value;
      const std::string file = file_with(damaged, std::string(0x100, '\x48'));
      with(file, [](const ElfFile& elf) {
        const std::array<ElfAddress, 2> addresses{ElfAddress{code + 1}, ElfAddress{code + 0x41}};
        std::array<Symbol, 2> answers;
        resolve_go_functions(elf, addresses, answers);
        CHECK(answers[0].name.size() < 64);
      });
      static_cast<void>(answer_of(file));
    }
    with(file_with(table.substr(0, at), std::string(0x100, '\0')), [](const ElfFile& elf) {
      const std::array<ElfAddress, 1> addresses{ElfAddress{code + 1}};
      std::array<Symbol, 1> answers;
      resolve_go_functions(elf, addresses, answers);
    });
  }
}

TEST_CASE("a small budget is not exceeded by a table of Go") {
  std::vector<MadeGoFunction> many;
  for (unsigned i = 0; i < 2000; ++i) many.push_back({"runtime.mcall", code + i});
  const std::string file = file_with(made_go_functions(many, code + 2000), std::string(4096, '\0'));
  with(
      file,
      [](const ElfFile& elf) {
        const std::array<std::string_view, 1> names{"runtime.mcall"};
        if (const auto functions = GoFunctions::find(elf)) CHECK(functions->with_names(names).empty());
      },
      5000);
}

// Functions of 0x40 bytes each. From 0x10 on, the stack pointer is another.
std::string text_of_changers(int functions) {
  std::string text;
  for (int i = 0; i < functions; ++i) {
    std::string function(0x40, '\x90');
    function.replace(0xc, 4, bytes({0x48, 0x8b, 0x66, 0x38}));  // mov 0x38(%rsi), %rsp
    text += function;
  }
  return text;
}

TEST_CASE("functions of Go's runtime that change stacks have the rule of the change behind it") {
  MadeFrames frames(true);
  const std::size_t common =
      frames.common({.augmentation = "", .version = 3, .data_step = -4, .instructions = bytes({0x0c, 7, 8, 0x90, 2})});
  for (unsigned i = 0; i < 5; ++i) frames.function(common, code + 0x40 * i, 0x40, bytes({0x44, 0x0e, 16}));
  std::string text = text_of_changers(5);
  text.replace(0x100 + 0xc, 4, bytes({0x90, 0x90, 0x90, 0x90}));
  const std::string table = made_go_functions({{"runtime.asmcgocall", code},
                                               {"main.main", code + 0x40},
                                               {"runtime.mcall", code + 0x80},
                                               {"runtime.sigreturn", code + 0xc0},
                                               {"runtime.asmcgocall", code + 0x100}},
                                              code + 0x140);
  const UnwindTable made = table_of(file_with(table, text, frames.content()));
  const auto own_of = [&](std::uint64_t function) {
    CHECK(at(made, function) == "r7+8 ra=c-8");
    // Frames of Go have the caller's frame pointer.
    CHECK(at(made, function + 4) == "r7+16 fp=c-16 ra=c-8");
    CHECK(at(made, function + 0xf) == "r7+16 fp=c-16 ra=c-8");
  };
  for (const std::uint64_t function : {0x0, 0x40, 0x80, 0x100}) own_of(function);
  CHECK(at(made, 0x10) == "other r6+16 fp=c-16 ra=c-8 extra=lost");
  CHECK(at(made, 0x3f) == "other r6+16 fp=c-16 ra=c-8 extra=lost");
  CHECK(at(made, 0x7f) == "r7+16 fp=c-16 ra=c-8");
  CHECK(at(made, 0x90) == "end");
  CHECK(at(made, 0xbf) == "end");
  CHECK(at(made, 0xc0) == "*(r7+160) fp=sp+120 ra=sp+168 extra=sp+128 signal");
  CHECK(at(made, 0xff) == "*(r7+160) fp=sp+120 ra=sp+168 extra=sp+128 signal");
  // A wrapper with the name of the function that it calls.
  CHECK(at(made, 0x13f) == "r7+16 fp=c-16 ra=c-8");

  // A stripped program has nothing else. There the frame pointer leads from frame to frame.
  const UnwindTable stripped = table_of(file_with(table, text));
  CHECK(at(stripped, 0xf) == "none");
  CHECK(at(stripped, 0x10) == "other r6+16 fp=c-16 ra=c-8 extra=lost");
  CHECK(at(stripped, 0x40) == "none");
  CHECK(at(stripped, 0x90) == "end");
  CHECK(at(stripped, 0x100) == "none");
}

}  // namespace
}  // namespace profile
