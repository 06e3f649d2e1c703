// Tests that the reader of debug information never reads past the end of its bytes.
// The tests try each kind of read at each offset.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dwarf/cursor.h"

using namespace profile;

namespace {

// A text among numbers. A cursor may read the first `readable` bytes; the bytes behind them must stay unread.
constexpr std::array<std::byte, 16> bytes = {std::byte{0x11}, std::byte{0x22}, std::byte{0x33}, std::byte{0x44},
                                             std::byte{0x55}, std::byte{0x66}, std::byte{0x77}, std::byte{0x88},
                                             std::byte{'a'},  std::byte{'b'},  std::byte{0},    std::byte{0x11},
                                             std::byte{0x11}, std::byte{0x11}, std::byte{0x11}, std::byte{0x11}};
// Ends with the NUL of the text.
constexpr std::size_t readable = 11;

DwarfCursor at(std::size_t place) { return DwarfCursor(std::span(bytes).first(readable), place); }

void check_failed(const DwarfCursor& cursor) {
  CHECK(cursor.failed());
  CHECK(cursor.at() == readable);
  CHECK(cursor.left() == 0);
}

}  // namespace

TEST_CASE("a cursor skips as many bytes as are left, and not one more") {
  for (std::size_t place = 0; place <= readable; ++place) {
    DwarfCursor whole = at(place);
    whole.skip(readable - place);
    CHECK_FALSE(whole.failed());
    CHECK(whole.left() == 0);
    for (const std::uint64_t more : {std::uint64_t{1}, std::uint64_t{2}, UINT64_MAX - readable}) {
      DwarfCursor cursor = at(place);
      cursor.skip(readable - place + more);
      check_failed(cursor);
    }
  }
  CHECK_FALSE(at(readable).failed());
  check_failed(at(readable + 1));
  check_failed(at(UINT64_MAX));
}

TEST_CASE("a number is read only if all its bytes are there") {
  for (const unsigned size : {1U, 2U, 3U, 4U, 8U}) {
    CAPTURE(size);
    DwarfCursor last = at(readable - size);
    last.fixed(size);
    CHECK_FALSE(last.failed());
    CHECK(last.left() == 0);
    DwarfCursor beyond = at(readable - size + 1);
    beyond.fixed(size);
    check_failed(beyond);
  }
  DwarfCursor low = at(0);
  CHECK(low.u32() == 0x44332211);
  CHECK(low.u16() == 0x6655);
  CHECK(low.u8() == 0x77);
  CHECK(low.at() == 7);
  DwarfCursor beyond = at(4);
  CHECK(beyond.u64() == 0);
  check_failed(beyond);
}

TEST_CASE("a text is read only if its NUL is there") {
  DwarfCursor text = at(8);
  CHECK(text.text() == "ab");
  CHECK_FALSE(text.failed());
  CHECK(text.left() == 0);
  CHECK(text.text().empty());
  check_failed(text);
  DwarfCursor cut{std::span(bytes).first(readable - 1), 8};
  CHECK(cut.text().empty());
  CHECK(cut.failed());
}

TEST_CASE("a number of variable length fails if its last byte is missing") {
  const std::array<std::byte, 3> more = {std::byte{0x85}, std::byte{0x86}, std::byte{0x07}};
  DwarfCursor whole{std::span(more)};
  CHECK(whole.uleb() == (0x5U | 0x6U << 7 | 0x7U << 14));
  CHECK_FALSE(whole.failed());
  DwarfCursor cut{std::span(more).first(2)};
  cut.uleb();
  CHECK(cut.failed());
  CHECK(cut.left() == 0);
  DwarfCursor cut_signed{std::span(more).first(2)};
  cut_signed.sleb();
  CHECK(cut_signed.failed());
}
