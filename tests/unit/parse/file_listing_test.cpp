// Lines of source files, and the instructions in ranges of code.
#include "parse/file_listing.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "parse/disassembler.h"
#include "support/fd.h"

using namespace profile;

namespace {

Fd memory_file(std::string_view text) {
  Fd file(::memfd_create("source", MFD_CLOEXEC));
  REQUIRE(file);
  REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  return file;
}

std::vector<std::string> lines_of(std::string_view text, const std::vector<LineRange>& ranges) {
  const Fd file = memory_file(text);
  const SourceOfFile source = source_of(file.get(), file.get(), ranges);
  CHECK(source.why.empty());
  CHECK(!source.is_newer);
  return source.lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("only the wanted lines of a source are read") {
  const std::string_view text = "one\ntwo\n\nfour\nfive";
  CHECK(lines_of(text, {{.first = 1, .last = 1}}) == Lines{"one"});
  CHECK(lines_of(text, {{.first = 2, .last = 3}, {.first = 5, .last = 9}}) == Lines{"two", "", "five"});
  CHECK(lines_of(text, {{.first = 6, .last = 9}}).empty());
  CHECK(lines_of(text, {}).empty());
  CHECK(lines_of("", {{.first = 1, .last = 2}}).empty());
  CHECK(lines_of("a\n", {{.first = 1, .last = 2}}) == Lines{"a"});
}

TEST_CASE("a line that is longer than a piece of the file stays one, and is cut") {
  const std::string_view head = "first\n";
  for (const std::size_t size : {std::size_t{65536} - head.size(), std::size_t{65537}, std::size_t{200'000}}) {
    const std::string text = std::string(head) + std::string(size, 'x') + "\nlast\n";
    const Lines lines = lines_of(text, {{.first = 2, .last = 3}});
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == std::string(most_source_line_bytes, 'x'));
    CHECK(lines[1] == "last");
  }
}

TEST_CASE("a source without an end costs a bounded number of lines") {
  const std::string text(50'000, '\n');
  CHECK(lines_of(text, {{.first = 1, .last = UINT32_MAX}}).size() == most_source_lines);
}

TEST_CASE("a source that was changed after the binary is newer") {
  const Fd binary = memory_file("x");
  const Fd source = memory_file("line\n");
  const std::array<timespec, 2> early{timespec{.tv_sec = 1000, .tv_nsec = 0}, timespec{.tv_sec = 1000, .tv_nsec = 0}};
  const std::array<timespec, 2> late{timespec{.tv_sec = 1000, .tv_nsec = 1}, timespec{.tv_sec = 1000, .tv_nsec = 1}};
  REQUIRE(::futimens(binary.get(), early.data()) == 0);
  REQUIRE(::futimens(source.get(), late.data()) == 0);
  const std::vector<LineRange> all{{.first = 1, .last = 1}};
  CHECK(source_of(source.get(), binary.get(), all).is_newer);
  REQUIRE(::futimens(source.get(), early.data()) == 0);
  CHECK(!source_of(source.get(), binary.get(), all).is_newer);
}

TEST_CASE("code becomes instructions, and bytes that are none become bytes") {
  REQUIRE(Disassembler::load());
  const Disassembler disassembler(true);
  REQUIRE(disassembler);
#ifdef __x86_64__
  // push %rbp; an opcode that 64-bit code does not have; ret
  constexpr std::array code{std::byte{0x55}, std::byte{0x06}, std::byte{0xc3}};
  std::string text;
  disassembler.each(code, 0x1000, [&](auto address, auto size, auto name, auto operands) {
    text.append(std::to_string(address - 0x1000)).append("+").append(std::to_string(size)).append(" ");
    text.append(name).append(" ").append(operands).append(";");
    return true;
  });
  CHECK(text == "0+1 pushq %rbp;1+1 .byte 0x06;2+1 retq ;");
#endif
}
