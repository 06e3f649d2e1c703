// Tests that symbol tables, packed symbol tables and searches pay for what they look at, so that a small file cannot
// cause much work.
#include <doctest/doctest.h>
#include <lzma.h>

#include <span>
#include <string>
#include <vector>

#include "../made_frames.h"
#include "elf/mini_debuginfo.h"
#include "elf/symbol_table.h"
#include "elf/symbols.h"
#include "parse/allocator_functions.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 40;

Elf64_Sym symbol_at(std::uint64_t address, std::uint32_t name, unsigned type = STT_FUNC) {
  Elf64_Sym symbol{};
  symbol.st_name = name;
  symbol.st_info = static_cast<unsigned char>(STB_GLOBAL << 4 | type);
  symbol.st_shndx = 1;
  symbol.st_value = address;
  symbol.st_size = 1;
  return symbol;
}

std::string file_with(const std::vector<Elf64_Sym>& symbols, const std::string& names,
                      std::uint32_t type = SHT_SYMTAB) {
  std::string table;
  for (const Elf64_Sym& symbol : symbols) table += bytes_of(symbol);
  return made_elf({{.name = ".text",
                    .content = std::string(64, '\0'),
                    .flags = SHF_ALLOC | SHF_EXECINSTR,
                    .address = made_code_address},
                   {.name = ".symtab", .content = table, .type = type, .link = 3, .entry_bytes = sizeof(Elf64_Sym)},
                   {.name = ".strtab", .content = names, .type = SHT_STRTAB}},
                  EM_X86_64, {code_segment(64)});
}

struct Paid {
  explicit Paid(const std::string& content, std::uint64_t steps = plenty) : given(steps), budget(steps) {
    std::string why;
    elf = ElfFile::read(FileBytes(std::as_bytes(std::span(content))), why, &budget);
    REQUIRE(elf);
  }
  [[nodiscard]] std::uint64_t steps() const { return given - budget.left(); }

  std::uint64_t given;
  WorkBudget budget;
  std::optional<ElfFile> elf;
};

// A number as xz writes it.
std::string number(std::uint64_t value) { return uleb(value); }
std::string checked(const std::string& content) {
  return content + bytes_of(lzma_crc32(reinterpret_cast<const std::uint8_t*>(content.data()), content.size(), 0));
}
std::string padded(std::string content) {
  content.resize((content.size() + 3) & ~std::size_t{3});
  return content;
}

// A file of xz with so many blocks of one byte. Each asks for a dictionary of another size than the block before it.
std::string blocks_of_xz(std::size_t count) {
  const std::string flags(2, '\0');
  std::string file = std::string("\xfd") + "7zXZ" + '\0' + checked(flags);
  std::string index = '\0' + number(count);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned dictionary = i % 2 == 0 ? 28 : 27;  // 64 or 48 MB
    const std::string head = checked(bytes({2, 0, 0x21, 1, dictionary, 0, 0, 0}));
    const std::string data = bytes({1, 0, 0, 'x', 0});  // one byte as it is, and the end
    file += head + padded(data);
    index += number(head.size() + data.size()) + number(1);
  }
  index = checked(padded(index));
  const std::string foot = bytes_of(static_cast<std::uint32_t>(index.size() / 4 - 1)) + flags;
  return file + index + bytes_of(lzma_crc32(reinterpret_cast<const std::uint8_t*>(foot.data()), foot.size(), 0)) +
         foot + "YZ";
}

}  // namespace

TEST_CASE("a name is paid for by each symbol that has it") {
  constexpr std::size_t symbols = 500;
  constexpr std::size_t name_bytes = 4000;
  std::vector<Elf64_Sym> table(1);
  std::vector<ElfAddress> addresses;
  for (std::size_t i = 0; i < symbols; ++i) {
    table.push_back(symbol_at(made_code_address + i % 50, 1 + static_cast<std::uint32_t>(i % 20)));
  }
  for (std::uint64_t i = 0; i < 50; ++i) addresses.push_back({made_code_address + i});
  const std::string file = file_with(table, '\0' + std::string(name_bytes + 20, '_') + '\0');
  Paid paid(file);
  std::vector<Symbol> answers(addresses.size());
  resolve_symbols(*paid.elf, addresses, answers);
  CHECK(answers.front().name.size() >= name_bytes);
  CHECK(paid.steps() > symbols * name_bytes);
}

TEST_CASE("with a spent budget no symbol is visited") {
  std::vector<Elf64_Sym> table(1);
  for (unsigned i = 0; i < 1000; ++i) table.push_back(symbol_at(made_code_address, 1));
  const std::string file = file_with(table, std::string("\0abc", 5));
  const auto visited = [&](std::uint64_t steps) {
    Paid paid(file, steps);
    std::size_t count = 0;
    visit_names(
        *paid.elf, SHT_SYMTAB, [](const ElfTableSymbol&) { return true; },
        [&](std::string_view name, const ElfTableSymbol&) { count += name == "abc" ? 1 : 0; });
    return count;
  };
  CHECK(visited(plenty) == 1000);
  CHECK(visited(30'000) == 0);
}

TEST_CASE("each block of packed symbols pays for the memory that it asks for") {
  constexpr std::size_t blocks = 20;
  const std::string packed = blocks_of_xz(blocks);
  const std::string file = made_elf({{.name = ".gnu_debugdata", .content = packed}});
  CHECK(file.size() < 2000);
  Paid paid(file);
  std::string why;
  const auto unpacked = unpack_mini_debuginfo(*paid.elf, why, 1 << 20);
  REQUIRE_MESSAGE(unpacked, why);
  CHECK(unpacked->bytes().size_bytes() == blocks);
  CHECK(paid.steps() > blocks * (std::uint64_t{48} << 20) / 256);
  Paid poor(file, 1 << 20);
  CHECK_FALSE(unpack_mini_debuginfo(*poor.elf, why, 1 << 20));
  CHECK(why == "its .gnu_debugdata is too much with all the others");
}

TEST_CASE("an allocator's functions are looked for with a budget of their own") {
  std::string names("\0malloc\0free", 13);
  const std::uint32_t name_of_free = 8;
  const std::string small = file_with(
      {{}, symbol_at(made_code_address, 1), symbol_at(made_code_address + 16, name_of_free)}, names, SHT_DYNSYM);
  Paid spent(small, 5000);
  spent.budget.take(5000);
  CHECK(allocator_functions(*spent.elf).size() == 2);
  // 200,000 names of 4,000 bytes.
  std::vector<Elf64_Sym> table(200'000, symbol_at(made_code_address, 13));
  table.push_back(symbol_at(made_code_address, 1));
  CHECK(allocator_functions(*Paid(file_with(table, names + std::string(4000, 'x') + '\0', SHT_DYNSYM)).elf).empty());
}
