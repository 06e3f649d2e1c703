// Tests the rows made from the instructions of .eh_frame, for each byte of the code, against their meaning in DWARF.
#include <doctest/doctest.h>

#include <string>

#include "unwind_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t code = made_code_address;

// The rows of one function of 0x100 bytes at the start of the code.
UnwindTable rows_of(const std::string& instructions, const MadeCommon& common = {}) {
  MadeFrames frames;
  frames.function(frames.common(common), code, 0x100, instructions);
  return table_of(file_with_frames(frames.content()));
}

}  // namespace

TEST_CASE("a function with a frame pointer has the right rows from its first byte to its last") {
  // push %rbp (1 byte); mov %rsp,%rbp (3); ...; leave at 0x20; ret
  const auto table = rows_of(bytes({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x1c, 0x0c, 7, 8}));
  CHECK(at(table, 0) == "r7+8 ra=c-8");
  CHECK(at(table, 1) == "r7+16 fp=c-16 ra=c-8");
  CHECK(at(table, 3) == "r7+16 fp=c-16 ra=c-8");
  CHECK(at(table, 4) == "r6+16 fp=c-16 ra=c-8");
  CHECK(at(table, 0x1f) == "r6+16 fp=c-16 ra=c-8");
  CHECK(at(table, 0x20) == "r7+8 fp=c-16 ra=c-8");
  CHECK(at(table, 0xff) == "r7+8 fp=c-16 ra=c-8");
  CHECK(at(table, 0x100) == "none");
  CHECK(in_words(rule_at(table, {made_code_offset - 1})) == "none");
  CHECK(in_words(rule_at(table, {0})) == "none");
  CHECK(in_words(rule_at(table, {UINT64_MAX})) == "none");
  CHECK(table.rules.size() == 1);  // every rule fits into its row
}

TEST_CASE("advances of every size and remembered states give the right rows") {
  // remember, offset 32, advance1 16, restore_state, advance2 16, offset_sf -3 (24), advance4 32, restore rbp
  const auto table = rows_of(bytes({0x41, 0x86, 3,    0x0a, 0x0e, 32, 0x02, 16,   0x0b, 0x03, 16, 0,
                                    0x13, 0x7d, 0x04, 32,   0,    0,  0,    0xc6, 0x41, 0x06, 6}));
  CHECK(at(table, 1) == "r7+32 fp=c-24 ra=c-8");
  CHECK(at(table, 17) == "r7+8 fp=c-24 ra=c-8");
  CHECK(at(table, 33) == "r7+24 fp=c-24 ra=c-8");
  CHECK(at(table, 65) == "r7+24 ra=c-8");
}

TEST_CASE("rules that do not fit into a row are stored as separate rules") {
  struct Kind {
    std::string instructions;
    std::string words;
  };
  const Kind kinds[] = {
      // A large frame, a frame by another register, and a saved CFA: compilers need them to realign a stack.
      {bytes({0x0e, 0x80, 0x80, 1}), "r7+16384 ra=c-8"},
      {bytes({0x0c, 10, 0}), "r10+0 ra=c-8"},
      {bytes({0x0f, 3, 0x76, 0x78, 0x06}), "*(r6-8) ra=c-8"},
      {bytes({0x10, 6, 2, 0x76, 0}), "r7+8 fp=fp+0 ra=c-8"},
      {bytes({0x10, 6, 3, 0x77, 0xf8, 0}), "r7+8 fp=sp+120 ra=c-8"},
      {bytes({0x0f, 2, 0x77, 16}), "r7+16 ra=c-8"},
      // Linkers describe their stubs with the first of these.
      {bytes({0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}), "stub11+8 ra=c-8"},
      {bytes({0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2b, 0x33, 0x24, 0x22}), "unknown"},
      {bytes({0x0f, 4, 0x77, 8, 0x06, 0x06}), "unknown"},
      {bytes({0x07, 16}), "end"},
      {bytes({0x08, 16}), "unknown"},
      {bytes({0x09, 16, 2}), "r7+8 ra=r2"},
      {bytes({0x83, 3}), "r7+8 ra=c-8 extra=c-24"},
      {bytes({0x83, 0x82, 1}), "r7+8 ra=c-8 extra=c-1040"},
      {bytes({0x11, 6, 1}), "r7+8 fp=c-8 ra=c-8"},
      {bytes({0x2f, 6, 2}), "r7+8 fp=c+16 ra=c-8"},
      {bytes({0x14, 6, 2}), "r7+8 fp=lost ra=c-8"},
      {bytes({0x16, 6, 1, 0x30}), "r7+8 fp=lost ra=c-8"},
      {bytes({0x07, 6, 0x09, 3, 1}), "r7+8 fp=lost ra=c-8 extra=lost"},
      {bytes({0x2e, 16}), "r7+8 ra=c-8"},
      // These are about registers that are not kept track of.
      {bytes({0x8c, 4, 0x05, 13, 5, 0x10, 14, 2, 0x76, 0, 0x07, 15, 0xcc}), "r7+8 ra=c-8"},
      // Numbers that are too large for any stack.
      {bytes({0x86}) + uleb(UINT64_MAX), "r7+8 fp=lost ra=c-8"},
      {bytes({0x0e}) + uleb(UINT64_MAX), "unknown"},
      {bytes({0x0c}) + uleb(UINT64_MAX) + bytes({8}), "unknown"},
      {bytes({0x12, 7}) + sleb(INT64_MIN), "unknown"},
      {bytes({0x05, 16}) + uleb(70000), "unknown"},
      {bytes({0x90}) + uleb(UINT32_MAX), "unknown"},
  };
  for (const Kind& kind : kinds) {
    CAPTURE(kind.words);
    const auto table = rows_of(kind.instructions + bytes({0x44, 0x0c, 7, 8}));
    CHECK(at(table, 0) == kind.words);
    CHECK(at(table, 3) == kind.words);
  }
}

TEST_CASE("an unknown instruction makes all rows after it unknown, and the rows before it stay") {
  for (const std::string& odd :
       {bytes({0x3f}), bytes({0x1c}), bytes({0x2d}), bytes({0x0b}), bytes({0x01, 0, 0, 0, 0, 0, 0, 0, 0}),
        std::string(40, '\x0a'), bytes({0x0f, 0xff, 0xff, 3}), bytes({0x86, 0xff}),
        bytes({0x86}) + std::string(30, '\xff')}) {
    const auto table = rows_of(bytes({0x44, 0x0e, 16, 0x44}) + odd);
    CHECK(at(table, 3) == "r7+8 ra=c-8");
    CHECK(at(table, 7) == "r7+16 ra=c-8");
    CHECK(at(table, 8) == "unknown");
    CHECK(at(table, 0xff) == "unknown");
    CHECK(at(table, 0x100) == "none");
  }
}

TEST_CASE("code that a signal interrupts is marked") {
  const MadeCommon common{.augmentation = "zRS"};
  CHECK(at(rows_of("", common), 0) == "r7+8 ra=c-8 signal");
}

TEST_CASE("pointers are read in every form that linkers use") {
  struct Form {
    unsigned how;
    std::string start;
    std::string size;
  };
  MadeFrames probe;
  const std::size_t first = probe.common({});
  static_cast<void>(first);
  const std::uint64_t here = 0x800000 + probe.content().size() + 8;  // the place of the pointer in the next entry
  const Form forms[] = {
      {0x00, bytes_of(code), bytes_of(std::uint64_t{0x100})},
      {0x03, bytes_of(static_cast<std::uint32_t>(code)), bytes_of(std::uint32_t{0x100})},
      {0x01, uleb(code), uleb(0x100)},
      {0x1b, bytes_of(static_cast<std::int32_t>(code - here)), bytes_of(std::uint32_t{0x100})},
      {0x1c, bytes_of(code - here), bytes_of(std::uint64_t{0x100})},
      {0x19, sleb(static_cast<std::int64_t>(code - here)), sleb(0x100)},
  };
  for (const Form& form : forms) {
    CAPTURE(form.how);
    MadeFrames frames;
    frames.common({.augmentation_data = bytes({form.how})});
    frames.entry(static_cast<std::uint32_t>(frames.content().size() + 4), form.start + form.size + '\0');
    const auto table = table_of(file_with_frames(frames.content()));
    CHECK(at(table, 0) == "r7+8 ra=c-8");
    CHECK(at(table, 0xff) == "r7+8 ra=c-8");
    CHECK(at(table, 0x100) == "none");
  }
}

TEST_CASE("an augmentation with a personality and language data is read") {
  MadeFrames frames;
  const std::size_t common =
      frames.common({.augmentation = "zPLR", .augmentation_data = bytes({0x9b, 1, 2, 3, 4, 0x1b, 0x00})});
  frames.entry(static_cast<std::uint32_t>(frames.content().size() + 4 - common),
               bytes_of(code) + bytes_of(std::uint64_t{0x40}) + bytes({4, 9, 9, 9, 9, 0x44, 0x0e, 16}));
  const auto table = table_of(file_with_frames(frames.content()));
  CHECK(at(table, 0) == "r7+8 ra=c-8");
  CHECK(at(table, 4) == "r7+16 ra=c-8");
}

TEST_CASE("gaps between functions have no rows, and short padding keeps the rows before it") {
  MadeFrames frames;
  const std::size_t common = frames.common();
  frames.function(common, code + 0x20, 0x10, bytes({0x0e, 16}));
  frames.function(common, code + 0x30 + 31, 0x10, bytes({0x0e, 24}));
  frames.function(common, code + 0x30 + 31 + 0x10 + 32, 0x10, bytes({0x0e, 32}));
  const auto table = table_of(file_with_frames(frames.content()));
  CHECK(at(table, 0x1f) == "none");
  CHECK(at(table, 0x20) == "r7+16 ra=c-8");
  CHECK(at(table, 0x30 + 30) == "r7+16 ra=c-8");
  CHECK(at(table, 0x30 + 31) == "r7+24 ra=c-8");
  CHECK(at(table, 0x30 + 31 + 0x10) == "none");
  CHECK(at(table, 0x30 + 31 + 0x10 + 31) == "none");
  CHECK(at(table, 0x30 + 31 + 0x10 + 32) == "r7+32 ra=c-8");
}

TEST_CASE("a function that nothing describes has no row, however short it is") {
  MadeFrames frames;
  const std::size_t common = frames.common();
  for (const std::uint64_t start : {0x0, 0x48, 0x80})
    frames.function(common, code + start, 0x38, bytes({0x44, 0x0e, 24}));
  const auto symbol = [](std::uint64_t start, unsigned char type) {
    Elf64_Sym made{};
    made.st_name = 1;
    made.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
    made.st_shndx = 1;
    made.st_value = code + start;
    return made;
  };
  for (const std::uint32_t table_type : {SHT_SYMTAB, SHT_DYNSYM}) {
    // One in the gap from 0x38 to 0x48, none in that from 0x70 to 0x80: an object there is no code.
    const std::string symbols = bytes_of(Elf64_Sym{}) + bytes_of(symbol(0x10, STT_FUNC)) +
                                bytes_of(symbol(0x3c, STT_FUNC)) + bytes_of(symbol(0x7c, STT_OBJECT));
    const auto table = table_of(made_elf(
        {{.name = ".text", .content = std::string(0x400, '\0'), .flags = SHF_ALLOC | SHF_EXECINSTR, .address = code},
         {.name = ".eh_frame", .content = frames.content(), .flags = SHF_ALLOC, .address = 0x800000},
         {.name = ".symtab",
          .content = symbols,
          .type = table_type,
          .flags = SHF_ALLOC,
          .link = 4,
          .entry_bytes = sizeof(Elf64_Sym)},
         {.name = ".strtab", .content = std::string("\0g\0", 3), .type = SHT_STRTAB}},
        EM_X86_64, {code_segment(0x400)}));
    CHECK(at(table, 0x37) == "r7+24 ra=c-8");
    CHECK(at(table, 0x38) == "none");
    CHECK(at(table, 0x3c) == "none");
    CHECK(at(table, 0x48) == "r7+8 ra=c-8");
    CHECK(at(table, 0x7c) == "r7+24 ra=c-8");
  }
}

TEST_CASE("functions that are unsorted, repeated or overlapping get the right rows") {
  MadeFrames frames;
  const std::size_t common = frames.common();
  frames.function(common, code + 0x80, 0x40, bytes({0x0e, 16}));
  frames.function(common, code, 0x40, bytes({0x0e, 24}));
  frames.function(common, code, 0x40, bytes({0x0e, 32}));                         // the first entry counts
  frames.function(common, code + 0x20, 0x40, bytes({0x0e, 40, 0x60, 0x0e, 48}));  // only its second half is left
  frames.function(common, code + 0x90, 0x10, bytes({0x0e, 56}));
  const auto table = table_of(file_with_frames(frames.content()));
  CHECK(at(table, 0) == "r7+24 ra=c-8");
  CHECK(at(table, 0x3f) == "r7+24 ra=c-8");
  CHECK(at(table, 0x40) == "r7+48 ra=c-8");
  CHECK(at(table, 0x60) == "none");
  CHECK(at(table, 0x80) == "r7+16 ra=c-8");
  CHECK(at(table, 0x90) == "r7+16 ra=c-8");
  CHECK(at(table, 0xbf) == "r7+16 ra=c-8");
  CHECK(at(table, 0xc0) == "none");
}

TEST_CASE("rows are stored by the pages of the file, up to one row for each byte") {
  // From the middle of a page on, the frame changes with each byte, over three pages.
  MadeFrames frames;
  std::string instructions;
  constexpr unsigned rows = 3000;
  for (unsigned i = 1; i <= rows; ++i)
    instructions += bytes({0x0e}) + uleb(std::uint64_t{8} * (i % 500 + 1)) + bytes({0x41});
  frames.function(frames.common(), code + 100, rows + 5000, instructions);
  const auto table = table_of(file_with_frames(frames.content()));
  for (unsigned i = 1; i <= rows; ++i) {
    const std::string words = "r7+" + std::to_string(8 * (i % 500 + 1)) + " ra=c-8";
    CHECK(at(table, 100 + i - 1) == words);
  }
  // The last row also holds in the next pages, which have no row.
  CHECK(at(table, 100 + rows + 4999) == "r7+8 ra=c-8");
  CHECK(at(table, 100 + rows + 5000) == "none");
  // A page contains its first rule itself, so three rows are saved.
  CHECK(table.rows.size() + 3 == rows + 1);
  CHECK(table.pages.size() == (made_code_offset + 100 + rows + 5000) / 1024 + 1);
}

TEST_CASE("the section .debug_frame describes what .eh_frame does not") {
  MadeFrames start;
  start.function(start.common(), code, 0x40, bytes({0x44, 0x0e, 24}));
  MadeFrames rest(true);
  const std::size_t common = rest.common({.augmentation = "", .version = 3});
  rest.function(common, code, 0x40, bytes({0x44, 0x0e, 32}));
  rest.function(common, code + 0x100, 0x40, bytes({0x44, 0x0e, 16}));
  for (const bool is_damaged : {false, true}) {
    const auto table = table_of(made_elf(
        {{.name = ".text", .content = std::string(0x400, '\0'), .flags = SHF_ALLOC | SHF_EXECINSTR, .address = code},
         {.name = ".eh_frame", .content = start.content(), .flags = SHF_ALLOC, .address = 0x800000},
         {.name = ".debug_frame", .content = rest.content() + (is_damaged ? bytes({9, 0, 0, 0, 1}) : "")}},
        EM_X86_64, {code_segment(0x400)}));
    CHECK(at(table, 4) == "r7+24 ra=c-8");
    CHECK(at(table, 0x40) == "none");
    CHECK(at(table, 0x100) == (is_damaged ? "none" : "r7+8 ra=c-8"));
    CHECK(at(table, 0x104) == (is_damaged ? "none" : "r7+16 ra=c-8"));
    CHECK(at(table, 0x140) == "none");
  }
}

TEST_CASE("the section .debug_frame is used if no .eh_frame exists, with and without compression") {
  for (const unsigned version : {1U, 3U, 4U}) {
    MadeFrames frames(true);
    const std::size_t common = frames.common({.augmentation = "", .version = version});
    frames.function(common, code, 0x40, bytes({0x44, 0x0e, 16}));
    const auto table = table_of(file_with_frames(frames.content(), EM_X86_64, ".debug_frame", 0x4000, 0));
    CHECK(at(table, 0) == "r7+8 ra=c-8");
    CHECK(at(table, 4) == "r7+16 ra=c-8");
    CHECK(at(table, 0x40) == "none");
  }
}
