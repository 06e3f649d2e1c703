// Tests the readers of .gnu_debuglink and .gnu_debugaltlink, and the checksum of a debug link.
// The texts in these sections are untrusted.
#include "elf/debug_link.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "../made_elf.h"
#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

template <class Answer>
Answer read_of(const std::string& section, const std::string& content, Answer (*read)(const ElfFile&)) {
  const Fd fd = in_memory(made_elf({{.name = section, .content = content}}));
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(file, why);
  return read(*file);
}

auto link_of(const std::string& content) { return read_of(".gnu_debuglink", content, read_debug_link); }
auto alternate_of(const std::string& content) { return read_of(".gnu_debugaltlink", content, read_alternate_link); }

// `text`, one to four zeros up to a multiple of four bytes, and a checksum.
std::string link_text(std::string text) {
  text.resize(text.size() / 4 * 4 + 4);
  return text + "\x78\x56\x34\x12";
}

}  // namespace

TEST_CASE("a debug link is a name, zeros and a checksum") {
  for (const char* const name : {"a", "ab", "abc", "abcd", "libc-2.36.so.debug", "..a", "a b\n"}) {
    CAPTURE(name);
    const auto link = link_of(link_text(name));
    REQUIRE(link);
    CHECK(link->name == name);
    CHECK(link->crc == 0x12345678);
  }
}

TEST_CASE("a debug link from objcopy is read") {
  const std::string program = compile("linked.c", "int main(void) { return 0; }", "-g");
  REQUIRE(!program.empty());
  const std::string debug = program + ".debug";
  REQUIRE(run("objcopy --only-keep-debug " + program + " " + debug + " && objcopy --add-gnu-debuglink=" + debug + " " +
              program + " " + program + ".linked"));
  const Fd fd = open_file(program + ".linked");
  const Fd debug_fd = open_file(debug);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE(file);
  const auto link = read_debug_link(*file);
  REQUIRE(link);
  CHECK(link->name == debug.substr(debug.rfind('/') + 1));
  CHECK(link->crc == crc32_of(debug_fd.get(), 100 << 20));
}

TEST_CASE("a debug link that is no bare file name is refused") {
  for (const char* const name : {"", ".", "..", "/", "/etc/shadow", "../x", "a/b", "a/"}) {
    CAPTURE(name);
    CHECK_FALSE(link_of(link_text(name)));
  }
}

TEST_CASE("a debug link with other bytes than zeros after its name is refused") {
  using namespace std::string_literals;
  CHECK(link_of("ab\0\0"s + "crc!"));
  CHECK_FALSE(link_of("ab\0x"s + "crc!"));
  CHECK_FALSE(link_of("ab\0\0/etc\0\0\0\0"s + "crc!"));
  CHECK_FALSE(link_of("abcd"s + "crc!"));            // the name has no end
  CHECK_FALSE(link_of("ab\0\0\0\0\0\0"s + "crc!"));  // too many zeros
  CHECK_FALSE(link_of("ab\0\0crc"s));
  CHECK_FALSE(link_of("ab\0\0"s));
  CHECK_FALSE(link_of(""));
}

TEST_CASE("a debug link cannot be longer than a file name") {
  CHECK(link_of(link_text(std::string(255, 'x'))));
  CHECK_FALSE(link_of(link_text(std::string(256, 'x'))));
  CHECK_FALSE(link_of(std::string(1 << 20, 'x')));
}

TEST_CASE("an alternate link is a path and a build-id") {
  using namespace std::string_literals;
  const auto link = alternate_of("../.dwz/x.debug\0\x01\xab\x00\xff"s);
  REQUIRE(link);
  CHECK(link->path == "../.dwz/x.debug");
  CHECK(link->build_id == "01ab00ff");
}

TEST_CASE("an alternate link without a path or a build-id is refused") {
  using namespace std::string_literals;
  CHECK_FALSE(alternate_of(""));
  CHECK_FALSE(alternate_of("path"));
  CHECK_FALSE(alternate_of("path\0"s));
  CHECK_FALSE(alternate_of("\0abcd"s));
  CHECK(alternate_of("path\0"s + std::string(64, 'i')));
  CHECK_FALSE(alternate_of("path\0"s + std::string(65, 'i')));
  CHECK_FALSE(alternate_of(std::string(1 << 20, 'x')));
}

TEST_CASE("the checksum equals that of gzip and gdb, for a file of any size") {
  CHECK(crc32_of(in_memory("123456789").get(), 100) == 0xcbf43926);
  CHECK(crc32_of(in_memory("").get(), 100) == 0u);
  // The text is longer than one read.
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "0123456789";
  CHECK(crc32_of(in_memory(text).get(), text.size()) == 0x30e39c7f);
}

TEST_CASE("a file that is larger than the limit has no checksum") {
  CHECK_FALSE(crc32_of(in_memory("123456789").get(), 8));
  CHECK_FALSE(crc32_of(-1, 8));
}
