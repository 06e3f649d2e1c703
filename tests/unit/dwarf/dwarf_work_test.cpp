// Tests that debug information pays for all that is done with it: attributes without bytes, texts without an end, reads
// all over a file, and bytes that come out of a decompressor.
#include <doctest/doctest.h>
#include <zlib.h>

#include <span>
#include <string>
#include <vector>

#include "../made_frames.h"
#include "dwarf/lines_of.h"
#include "elf/seekable_zlib.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t plenty = std::uint64_t{1} << 40;

// The contents of the sections.
struct Made {
  std::string info;
  std::string abbrev;
  std::string line;
  std::string aranges;
};

std::string with_length(const std::string& content) {
  return bytes_of(static_cast<std::uint32_t>(content.size())) + content;
}

// The shape with the number 1: a unit over a range, with children.
const std::string unit_shape = bytes({1, 0x11, 1, 0x11, 0x01, 0x12, 0x07, 0, 0});
const std::string unit_entry = bytes({1}) + bytes_of(std::uint64_t{0x1000}) + bytes_of(std::uint64_t{0x1000});
// A unit of version 4 with these entries.
std::string unit_of(const std::string& root, const std::string& entries) {
  return with_length(bytes({4, 0, 0, 0, 0, 0, 8}) + root + entries + '\0');
}

std::string file_of(const Made& made) {
  return made_elf({{.name = ".debug_info", .content = made.info},
                   {.name = ".debug_abbrev", .content = made.abbrev},
                   {.name = ".debug_line", .content = made.line},
                   {.name = ".debug_aranges", .content = made.aranges}});
}

// What one question costs.
std::uint64_t steps_of(const Made& made, std::uint64_t given = plenty) {
  const std::string file = file_of(made);
  WorkBudget budget(given);
  const std::vector<ElfAddress> addresses{{0x1234}};
  static_cast<void>(
      read_source_lines(FileBytes(std::as_bytes(std::span(file))), FileBytes(), addresses, nullptr, &budget));
  return given - budget.left();
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}

}  // namespace

TEST_CASE("attributes without bytes are paid for in each entry that has them") {
  constexpr std::size_t attributes = 20'000;
  constexpr std::size_t entries = 300;
  // DW_AT_external as DW_FORM_flag_present; the first attribute is a number whose size varies.
  const std::string many = bytes({0x3f, 0x0f}) + repeated(bytes({0x3f, 0x19}), attributes) + bytes({0, 0});
  const std::string entry = bytes({2, 5});
  for (const unsigned tag : {0x34U, 0x2eU}) {  // a variable, and a function
    CAPTURE(tag);
    const Made made{.info = unit_of(unit_entry, repeated(entry, entries)),
                    .abbrev = unit_shape + bytes({2, tag, 0}) + many + '\0',
                    .line = {},
                    .aranges = {}};
    CHECK(steps_of(made) > attributes * entries);
  }
  // The same for the units themselves.
  const std::string root = bytes({1, 5});
  const Made made{.info = repeated(unit_of(root, ""), entries),
                  .abbrev = bytes({1, 0x11, 0}) + many + '\0',
                  .line = {},
                  .aranges = {}};
  CHECK(steps_of(made) > attributes * entries);
}

TEST_CASE("the columns of a file table are paid for, though they have no bytes") {
  constexpr unsigned columns = 250;
  constexpr std::size_t files = 2000;
  std::string formats = bytes({columns});
  formats += bytes({1, 0x0b});                            // one byte
  formats += repeated(bytes({0x20, 0x19}), columns - 1);  // DW_FORM_flag_present
  const std::string names = formats + uleb(files) + std::string(files, '\1') + bytes({0, 0});
  const std::string header = bytes({1, 1, 1, 0, 1, 1}) + names;
  Made made{.info = {}, .abbrev = {}, .line = {}, .aranges = {}};
  made.line = with_length(bytes({5, 0, 8, 0}) + bytes_of(static_cast<std::uint32_t>(header.size())) + header);
  made.abbrev = bytes({1, 0x11, 0, 0x11, 0x01, 0x12, 0x07, 0x10, 0x17, 0, 0, 0});
  made.info = unit_of(unit_entry + std::string(4, '\0'), "");
  CHECK(steps_of(made) > columns * files);
}

TEST_CASE("the bytes of abbreviations are paid for by each unit that reads them") {
  constexpr std::size_t units = 200;
  constexpr std::size_t shapes = 3000;
  Made made;
  made.abbrev = unit_shape;
  for (std::size_t i = 0; i < shapes; ++i) made.abbrev += uleb(2 + i) + bytes({0x34, 0, 0, 0});
  const std::size_t bytes_each = made.abbrev.size();
  // Each unit begins its table at another shape, so that no table is shared.
  for (std::size_t i = 0; i < units; ++i) {
    std::string unit = unit_of(unit_entry, "");
    const auto offset = static_cast<std::uint32_t>(unit_shape.size() + 6 * (i % 100));
    unit.replace(6, 4, bytes_of(offset));
    made.info += unit;
  }
  CHECK(steps_of(made) > units * (bytes_each - 700));
}

TEST_CASE("the question's budget bounds the work, and something of it stays") {
  // Empty sets of addresses, without an end.
  const Made made{
      .info = unit_of(unit_entry, ""), .abbrev = unit_shape + '\0', .line = {}, .aranges = std::string(8 << 20, '\0')};
  const std::uint64_t whole = steps_of(made);
  CHECK(whole > std::uint64_t{8} << 20);
  constexpr std::uint64_t small = 1 << 20;
  CHECK(steps_of(made, small) == small - 1);
}

TEST_CASE("a read of a section is paid for, and what is held is not read again") {
  const Fd fd = in_memory(std::string(1 << 20, 'x'));
  DwarfSection section(FileBytes(fd.get()), 0, 1 << 20);
  WorkBudget budget(plenty);
  section.pay_from(&budget);
  CHECK(section.window(0, 8).size() == 8);
  const std::uint64_t first = plenty - budget.left();
  CHECK(first > 256);
  CHECK(section.window(100, 8).size() == 8);
  CHECK(plenty - budget.left() == first);
  for (unsigned i = 0; i < 100; ++i) CHECK(section.window(i % 2 * (1 << 19), 8).size() == 8);
  CHECK(plenty - budget.left() >= 100 * first);
  WorkBudget spent(100);
  section.pay_from(&spent);
  CHECK(section.window(1 << 19, 8).size() == 8);  // still held
  CHECK(section.window(0, 8).empty());
  CHECK(!section.unreadable());
}

TEST_CASE("a text is paid for each time, also where it is held") {
  DwarfSection section(std::vector<std::byte>(10'000, std::byte{'x'}));
  WorkBudget budget(plenty);
  section.pay_from(&budget);
  for (unsigned i = 0; i < 100; ++i) CHECK(section.text(i).size() == 10'000 - i);
  CHECK(plenty - budget.left() > 990'000);
}

TEST_CASE("each byte that comes out of a decompressor is paid for, as often as it comes out") {
  const std::string text(32 << 20, 'x');
  uLongf size = ::compressBound(text.size());
  std::string packed(size, '\0');
  REQUIRE(::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                     text.size()) == Z_OK);
  SeekableZlib stream(FileBytes(std::as_bytes(std::span(packed).first(size))), 0, size, text.size());
  WorkBudget budget(plenty);
  stream.pay_from(&budget);
  std::byte byte{};
  const auto read = [&](std::uint64_t offset) { return stream.read(offset, std::span(&byte, 1)); };
  CHECK(read(text.size() - 1));
  const std::uint64_t once = plenty - budget.left();
  CHECK(once > text.size());
  // Far apart, so that the blocks in between are unpacked again.
  for (std::uint64_t i = 0; i < 8; ++i) CHECK(read(i * (4 << 20)));
  CHECK(plenty - budget.left() > once + 8 * (std::uint64_t{64} << 10));
  WorkBudget small(1 << 16);
  stream.pay_from(&small);
  CHECK(!read((18 << 20) + 17));
}
