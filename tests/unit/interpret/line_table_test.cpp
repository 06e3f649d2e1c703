// Lines of positions in functions of scripts: tables as each version of Python and Java makes them, and damaged ones.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "interpret/line_table.h"

using namespace profile;

namespace {

using Table = std::vector<std::uint8_t>;

std::vector<std::uint32_t> lines_of(script_lines form, const Table& table, std::uint64_t units) {
  std::vector<std::uint32_t> lines;
  for (std::uint64_t unit = 0; unit < units; ++unit) lines.push_back(line_at(form, unit + 2, 10, table));
  return lines;
}

using Lines = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a position is a line, or no line is known") {
  CHECK(line_at(SCRIPT_LINES_DIRECT, 77, 10, {}) == 77);
  CHECK(line_at(SCRIPT_LINES_DIRECT, 0, 10, {}) == 0);
  CHECK(line_at(SCRIPT_LINES_NONE, 77, 10, {}) == 0);
  for (const auto form : {SCRIPT_LINES_OF_BYTES, SCRIPT_LINES_OF_RANGES, SCRIPT_LINES_OF_PLACES}) {
    CHECK(line_at(form, 1, 10, {}) == 10);  // before the first instruction
  }
}

// for x in (1,      line 11 of a function that begins in line 10
//           2):     line 12
//   f(x)            line 13
TEST_CASE("tables of Python 3.9 say how many bytes the line changes behind, also downwards") {
  CHECK(lines_of(SCRIPT_LINES_OF_BYTES, {0, 1, 4, 2, 6, 0xfe}, 6) == Lines{11, 11, 13, 13, 13, 11});
  CHECK(lines_of(SCRIPT_LINES_OF_BYTES, {}, 2) == Lines{10, 10});
  CHECK(lines_of(SCRIPT_LINES_OF_BYTES, {0, 127, 0, 100, 2}, 1) == Lines{237});
}

TEST_CASE("tables of Python 3.10 have ranges, some of them without a line") {
  CHECK(lines_of(SCRIPT_LINES_OF_RANGES, {4, 1, 2, 0x80, 4, 2}, 6) == Lines{11, 11, 0, 13, 13, 0});
}

TEST_CASE("tables of Python 3.11 have places of five kinds") {
  const Table table{
      0x80 | 0 << 3 | 1,  0x12,              // two instructions in the line before, columns in one byte
      0x80 | 11 << 3 | 0, 0x01, 0x02,        // one in the next line
      0x80 | 13 << 3 | 2, 0x41, 0x02,        // three, 64 lines back: a number in two bytes
      0x80 | 15 << 3 | 0,                    // one without a line
      0x80 | 14 << 3 | 0, 0x0c, 0,    1, 2,  // one 6 lines on, and columns
  };
  // 11 - (0x01 | 2 << 6 = 129 -> -64) and so on
  const std::int64_t back = 11 - 64;
  CHECK(lines_of(SCRIPT_LINES_OF_PLACES, table, 9) == Lines{10, 10, 11, 0, 0, 0, 0, 0, 0});
  CHECK(back + 6 < 0);
  const Table upwards{0x80 | 13 << 3 | 0, 0x44, 0x02, 0x80 | 15 << 3 | 0, 0x80 | 14 << 3 | 0, 0x0c, 0, 1, 2};
  CHECK(lines_of(SCRIPT_LINES_OF_PLACES, upwards, 4) == Lines{10 + 66, 0, 10 + 66 + 6, 0});
}

TEST_CASE("tables of Java say where a line begins, in one byte or as numbers with a sign") {
  // Line 40 from index 0 on, 42 from 5, 43 from 8, and 40 again from 48.
  const Table old{0xff, 0, 80, 5 << 3 | 2, 3 << 3 | 1, 0xff, 80, 5, 0, 0xff, 0xff};
  const Table since_20{0xff, 1, 81, 5 << 3 | 2, 3 << 3 | 1, 0xff, 81, 6, 0, 0xff, 0xff};
  const auto lines = [](script_lines form, const Table& table) {
    Lines found;
    for (const std::uint64_t index : {0, 4, 5, 7, 8, 47, 48, 1000}) {
      found.push_back(line_at(form, index + 1, 10, table));
    }
    return found;
  };
  CHECK(lines(SCRIPT_LINES_OF_JAVA, old) == Lines{40, 40, 42, 42, 43, 43, 40, 40});
  CHECK(lines(SCRIPT_LINES_OF_JAVA_20, since_20) == Lines{40, 40, 42, 42, 43, 43, 40, 40});
  CHECK(line_at(SCRIPT_LINES_OF_JAVA, 1, 10, {}) == 0);
  // 300 lines on, in two bytes: 600 = 216 + 6 * 64.
  CHECK(line_at(SCRIPT_LINES_OF_JAVA, 1, 10, Table{0xff, 0, 216, 6, 0}) == 300);
  CHECK(line_at(SCRIPT_LINES_OF_JAVA_20, 1, 10, Table{0xff, 1, 217, 7, 0}) == 300);
}

TEST_CASE("any bytes are a table, and are read within their bounds") {
  for (unsigned seed = 1; seed < 200; ++seed) {
    Table table(seed % 40);
    std::uint32_t state = seed * 2654435761U;
    for (std::uint8_t& byte : table) byte = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24);
    for (const auto form : {SCRIPT_LINES_OF_BYTES, SCRIPT_LINES_OF_RANGES, SCRIPT_LINES_OF_PLACES, SCRIPT_LINES_OF_JAVA,
                            SCRIPT_LINES_OF_JAVA_20}) {
      for (std::uint64_t position = 0; position < 100; ++position) {
        CHECK(line_at(form, position, 5, table) <= INT32_MAX);
      }
      CHECK(line_at(form, SCRIPT_POSITION_MASK, UINT32_MAX, table) <= UINT32_MAX);
    }
  }
}
