// Tests .gnu_debugdata, made as Fedora makes it: a compressed file with the symbols that .dynsym lacks.
#include "elf/mini_debuginfo.h"

#include <doctest/doctest.h>
#include <lzma.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "../made_elf.h"
#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr const char* source =
    "__attribute__((noinline)) static int hidden(int x) { return x * 3; }\n"
    "__attribute__((noinline, visibility(\"default\"))) int visible(int x) { return hidden(x) + 1; }\n"
    "int main(int argc, char** argv) { (void)argv; return visible(argc); }\n";

struct Program {
  std::string whole;     // with all its symbols
  std::string stripped;  // without symbols
  std::string packed;    // the file that Fedora adds to it as a section
};

const Program& program() {
  static const Program made = [] {
    const std::string whole = compile("mini.c", source, "-O1 -g -rdynamic");
    REQUIRE(!whole.empty());
    const Program files{whole, whole + ".stripped", whole + ".mini.xz"};
    REQUIRE(run("set -e; cd $(dirname " + whole + "); f=" + whole +
                "\n"
                "nm -D $f -f posix --defined-only | cut -d' ' -f1 | LC_ALL=C sort >dynamic\n"
                "nm $f -f posix --defined-only | awk '$2 ~ /[TtD]/ { print $1 }' | LC_ALL=C sort >functions\n"
                "LC_ALL=C comm -13 dynamic functions >keep\n"
                "objcopy --only-keep-debug $f debug\n"
                "objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep debug $f.mini\n"
                "strip -o $f.stripped $f\n"
                "xz -kf $f.mini"));
    return files;
  }();
  return made;
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Unpacked {
  std::optional<UnpackedFile> file;
  std::string why;
};

Unpacked unpack_file(int fd, std::uint64_t most_bytes = most_mini_debuginfo_bytes) {
  std::string why;
  const auto file = ElfFile::read(fd, why);
  REQUIRE_MESSAGE(file, why);
  auto unpacked = unpack_mini_debuginfo(*file, why, most_bytes);
  return {.file = std::move(unpacked), .why = why};
}

// Unpacks a file whose .gnu_debugdata is `packed`.
Unpacked unpack(const std::string& packed, std::uint64_t most_bytes = most_mini_debuginfo_bytes) {
  return unpack_file(in_memory(made_elf({{.name = ".gnu_debugdata", .content = packed}})).get(), most_bytes);
}

std::string compressed(const std::string& plain) {
  std::string packed(lzma_stream_buffer_bound(plain.size()), '\0');
  std::size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()),
                                  plain.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size,
                                  packed.size()) == LZMA_OK);
  packed.resize(size);
  return packed;
}

}  // namespace

TEST_CASE("a static function of a stripped program gets its name from .gnu_debugdata") {
  const std::string file = program().stripped + ".fedora";
  REQUIRE(run("objcopy --add-section .gnu_debugdata=" + program().packed + " " + program().stripped + " " + file));
  const auto symbols = known(program().whole);
  const auto [start, size] = symbols.at("hidden");
  REQUIRE(size > 1);
  CHECK(one(file, start + 1) == "?");  // no other part of the file names it

  const Fd fd = open_file(file);
  const Unpacked unpacked = unpack_file(fd.get());
  REQUIRE_MESSAGE(unpacked.file, unpacked.why);
  CHECK(unpacked.why.empty());
  std::string why;
  const auto mini = ElfFile::read(unpacked.file->bytes(), why);
  REQUIRE_MESSAGE(mini, why);
  const std::vector<ElfAddress> addresses = {{start + 1}};
  std::vector<Symbol> answers(1);
  resolve_symbols(*mini, addresses, answers);
  CHECK(answers[0].name == "hidden");
  CHECK(answers[0].start == start);
}

TEST_CASE("a file without .gnu_debugdata is no failure") {
  const Fd fd = open_file(program().stripped);
  const Unpacked unpacked = unpack_file(fd.get());
  CHECK_FALSE(unpacked.file);
  CHECK(unpacked.why.empty());
}

TEST_CASE("a damaged .gnu_debugdata is refused with a reason") {
  const std::string packed = content_of(program().packed);
  REQUIRE(packed.size() > 200);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{5}, std::size_t{12}, packed.size() / 2, packed.size() - 1}) {
    CAPTURE(length);
    const Unpacked unpacked = unpack(packed.substr(0, length));
    CHECK_FALSE(unpacked.file);
    CHECK(unpacked.why == "its .gnu_debugdata ends too early");
  }
  std::string spoilt = packed;
  spoilt[packed.size() / 2] ^= 0x40;
  CHECK_FALSE(unpack(spoilt).file);
  CHECK(unpack(spoilt).why == "its .gnu_debugdata is damaged");
  CHECK(unpack("this is no xz file at all").why == "its .gnu_debugdata is not in xz format");
}

TEST_CASE("a .gnu_debugdata section beyond the end of the file is refused") {
  std::string file = made_elf({{.name = ".gnu_debugdata", .content = content_of(program().packed)}});
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  Elf64_Shdr section;
  char* const at = file.data() + header.e_shoff + sizeof section;
  std::memcpy(&section, at, sizeof section);
  section.sh_size = UINT64_MAX - 8;
  std::memcpy(at, &section, sizeof section);
  CHECK(unpack_file(in_memory(file).get()).why == "its .gnu_debugdata is not in the file");
}

TEST_CASE("bytes after the end of the compressed file are ignored") {
  CHECK(unpack(content_of(program().packed) + std::string(4, '\0')).file);
}

TEST_CASE("an xz bomb is refused at an unbelievable size, long before the limit") {
  const std::string bomb = compressed(std::string(60 << 20, '\0'));
  REQUIRE(bomb.size() < 64 << 10);
  const Unpacked unpacked = unpack(bomb);
  CHECK_FALSE(unpacked.file);
  CHECK(unpacked.why == "its .gnu_debugdata unpacks to an unbelievable size");
}

TEST_CASE("the size limit is exact to the byte") {
  std::string plain;
  for (unsigned i = 0; i < 100'000; ++i) plain += static_cast<char>(i * 2654435761U >> 24);
  const std::string packed = compressed(plain);
  CHECK(unpack(packed, plain.size()).file);
  CHECK_FALSE(unpack(packed, plain.size() - 1).file);
}

TEST_CASE("a file that claims to need gigabytes for unpacking is refused") {
  std::string packed = compressed(std::string(5000, 'x'));
  // The block's header follows the 12 bytes of the stream's header. It contains its own size and, for filter 0x21, one
  // byte that encodes the size of the dictionary.
  constexpr std::size_t block_at = 12;
  const std::size_t filter = packed.find("\x21\x01", block_at);
  REQUIRE(filter < block_at + 20);
  packed[filter + 2] = 40;  // 4 GiB
  const std::size_t size = (static_cast<std::size_t>(packed[block_at]) + 1) * 4;
  const std::uint32_t crc = lzma_crc32(reinterpret_cast<const std::uint8_t*>(packed.data()) + block_at, size - 4, 0);
  std::memcpy(packed.data() + block_at + size - 4, &crc, sizeof crc);
  CHECK(unpack(packed).why == "its .gnu_debugdata wants too much memory to be unpacked");
}
