// Tests unwind tables that the parser (child process) sends: they must be the tables that this process makes.
// A table that cannot be right must be refused, because a hostile file may control the parser.
#include <doctest/doctest.h>
#include <elf.h>
#include <sys/auxv.h>

#include <cstring>
#include <string>

#include "elf_fixture.h"
#include "parse/answers_wire.h"
#include "parse/children.h"
#include "parse/file_probes.h"
#include "parse/file_reader.h"
#include "unwind_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

template <class T>
bool are_equal(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool are_equal(const UnwindTable& a, const UnwindTable& b) {
  return a.elf_machine == b.elf_machine && a.unit_shift == b.unit_shift && a.first_page == b.first_page &&
         are_equal(a.pages, b.pages) && are_equal(a.rows, b.rows) && are_equal(a.rules, b.rules);
}

UnwindTable some_table(std::uint16_t machine = EM_X86_64) {
  MadeFrames frames;
  const std::size_t common = frames.common();
  frames.function(common, made_code_address + 0x800, 0x1000, bytes({0x41, 0x0e, 16, 0x04, 0, 8, 0, 0, 0x0c, 10, 0}));
  return table_of(file_with_frames(frames.content(), machine));
}

std::string message_with(UnwindFault fault, const UnwindTable& table, const Interpreter& interpreter = {}) {
  std::string message;
  append_unwind(message, fault, table, interpreter);
  return message;
}

bool is_believed(const UnwindTable& table, const Interpreter& interpreter = {}) {
  const std::string message = message_with(UnwindFault::none, table, interpreter);
  WireReader in(message);
  return take_unwind(in, 0).has_value() && in.is_whole();
}

}  // namespace

TEST_CASE("a file has more pieces of code and inlined functions than addresses were asked for") {
  NamesOfFile names;
  names.code.resize(3);
  names.names.resize(1);
  names.names[0].unnamed = Unnamed::no_symbol;
  names.valid_ranges.resize(1);
  const std::string message = message_of(names);
  WireReader in(message);
  const auto taken = take_names(in, 1);
  REQUIRE(taken);
  CHECK(taken->code.size() == 3);

  LinesOfFile lines;
  lines.chains.assign(1, std::vector<SourcePosition>(7));
  const std::string lines_message = message_of(lines);
  WireReader lines_in(lines_message);
  REQUIRE(take_lines(lines_in, 1));
}

TEST_CASE("an answer that claims millions of elements is refused before they take memory") {
  // Empty chains take four bytes each in the message, and six times as much in memory.
  const std::string message =
      message_of(FileFault::none, StringTable(), std::uint32_t{1'000'000}) + std::string(4'000'004, '\0');
  WireReader in(message);
  CHECK(!take_lines(in, 10));
  CHECK(!in.ok());
}

TEST_CASE("an unwind table is transferred unchanged for both machines, and a fault by its name") {
  for (const std::uint16_t machine : {std::uint16_t{EM_X86_64}, std::uint16_t{EM_AARCH64}}) {
    const UnwindTable table = some_table(machine);
    const std::string message = message_with(UnwindFault::none, table);
    WireReader in(message);
    const auto taken = take_unwind(in, 0);
    REQUIRE(taken);
    CHECK(in.is_whole());
    CHECK(are_equal(taken->table, table));
  }
  const std::string message = message_with(UnwindFault::damaged, UnwindTable{});
  WireReader in(message);
  const auto taken = take_unwind(in, 0);
  REQUIRE(taken);
  CHECK(taken->fault == UnwindFault::damaged);
}

TEST_CASE("an unwind table with an invalid number is refused") {
  const UnwindTable sound = some_table();
  REQUIRE(sound.pages.size() > 2);
  REQUIRE(sound.rows.size() > 2);
  REQUIRE(sound.rules.size() > 1);
  CHECK(is_believed(sound));
  const auto is_believed_with = [&](auto spoil) {
    UnwindTable spoilt = sound;
    spoil(spoilt);
    return is_believed(spoilt);
  };
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.elf_machine = EM_386; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.first_page = UINT32_MAX; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.pages[1].first_row += 1; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.pages[0].rows_and_code += 1U << UNWIND_CODE_BITS; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.pages.back().rows_and_code |= UNWIND_CODE_MASK >> 1; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.pages.pop_back(); }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { std::swap(table.rows[0], table.rows[1]); }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.rows[0] = UNWIND_SHORT - 1; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.rows.push_back(0); }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.rules.pop_back(); }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.rules.clear(); }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.rules[0].cfa = UNWIND_CFA_END; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.rules[1].cfa = UNWIND_CFA_UNKNOWN + 1; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.rules[1].fp = UNWIND_LOST + 1; }));
  CHECK_FALSE(is_believed_with([](UnwindTable& table) { table.rules[1].flags = 4; }));
  const auto with_rules = [](std::size_t rules) {
    return [rules](UnwindTable& table) { table.rules.resize(rules, table.rules[1]); };
  };
  CHECK(is_believed_with(with_rules(most_unwind_rules)));
  CHECK_FALSE(is_believed_with(with_rules(most_unwind_rules + 1)));
  const auto with_pages = [](std::size_t pages) {
    return [pages](UnwindTable& table) {
      const auto rows = static_cast<std::uint32_t>(table.rows.size());
      table.pages.resize(pages, {.first_row = rows, .rows_and_code = 0});
    };
  };
  CHECK(is_believed_with(with_pages(most_unwind_pages)));
  CHECK_FALSE(is_believed_with(with_pages(most_unwind_pages + 1)));
}

TEST_CASE("the parser makes the tables of files and of the vDSO in its sandbox") {
  Children children({}, false);
  const std::string path = "/proc/self/exe";
  std::string why;
  const auto opened = children.probes().open(path, why);
  REQUIRE_MESSAGE(opened, why);
  const FileRef file{.number = opened->number, .path = path, .mapped_by = {.own_mounts = true}};
  const Fd fd = open_file(path);
  const auto elf = ElfFile::read(fd.get(), why);
  REQUIRE(elf);
  const UnwindAnswer ours = unwind_table_of(*elf);
  REQUIRE(ours.fault == UnwindFault::none);

  WorkBudget budget(std::uint64_t{1} << 40);
  const UnwindOfFile theirs = children.reader().unwind_table(file, budget);
  CHECK(theirs.failed == FileFault::none);
  CHECK(are_equal(theirs.table, ours.table));
  CHECK((std::uint64_t{1} << 40) - budget.left() > ours.table.rows.size());

  // The cost above may be that of the parser's time on a CPU, which says nothing about its steps.
  WorkBudget small(ours.table.rows.size());
  const UnwindOfFile none = children.reader().unwind_table(file, small);
  CHECK(none.failed == FileFault::none);
  CHECK(none.fault == UnwindFault::spent);
  children.probes().close(*opened);

  if (::getauxval(AT_SYSINFO_EHDR) == 0) return;
  const UnwindOfFile vdso = children.reader().unwind_table({}, budget);
  CHECK(vdso.failed == FileFault::none);
  CHECK(vdso.fault == UnwindFault::none);
  CHECK(vdso.table.rows.size() > 4);
}
