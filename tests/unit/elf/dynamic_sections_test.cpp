// Tests the symbols of files without section headers: sstrip and packers remove the headers.
#include "elf/dynamic_sections.h"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "../made_elf.h"
#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr const char* source =
    "int data = 3;\n"
    "int first(int x) { return x * 3 + data; }\n"
    "int second(int x) { return first(x) + 1; }\n"
    "int third(int x) { return second(x) + 1; }\n";

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The same file, changed as sstrip changes it.
std::string without_section_headers(std::string file) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  file.resize(header.e_shoff);
  header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

void check_named_by(const char* hash_style) {
  CAPTURE(hash_style);
  const std::string library =
      compile("sections.c", source, std::string("-O1 -shared -fPIC -Wl,--hash-style=") + hash_style);
  REQUIRE(!library.empty());
  const Fd fd = in_memory(without_section_headers(content_of(library)));
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(file, why);
  REQUIRE(file->sections().empty());
  const auto with_sections = with_dynamic_sections(*file);
  REQUIRE(with_sections);
  const auto symbols = known(library);
  for (const char* const name : {"first", "second", "third"}) {
    const auto [start, size] = symbols.at(name);
    const std::vector<ElfAddress> addresses = {{start}, {start + size - 1}};
    std::vector<Symbol> answers(2);
    resolve_symbols(*with_sections, addresses, answers);
    CHECK(answers[0].name == name);
    CHECK(answers[1].name == name);
    CHECK(answers[1].start == start);
  }
}

}  // namespace

TEST_CASE("a library without section headers has the names of its dynamic symbols") {
  check_named_by("gnu");
  check_named_by("sysv");
  check_named_by("both");
}

TEST_CASE("a file with section headers stays as it is") {
  const Fd fd = open_file(compile("whole.c", source, "-shared -fPIC"));
  std::string why;
  CHECK_FALSE(with_dynamic_sections(*ElfFile::read(fd.get(), why)));
}

TEST_CASE("a damaged dynamic table gives at most wrong names, whichever byte is damaged") {
  const std::string library = compile("spoilt.c", source, "-shared -fPIC");
  const std::string good = without_section_headers(content_of(library));
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof header);
  std::size_t tried = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, good.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_DYNAMIC && segment.p_offset != 0) continue;
    // Damages the dynamic table and the start of the file, which holds hash tables, symbols and strings.
    for (std::size_t at = segment.p_offset + 400; at < segment.p_offset + segment.p_filesz; at += 3) {
      std::string bad = good;
      bad[at] = static_cast<char>(~bad[at]);
      const Fd fd = in_memory(bad);
      std::string why;
      const auto file = ElfFile::read(fd.get(), why);
      if (!file) continue;
      ++tried;
      if (const auto sections = with_dynamic_sections(*file)) {
        const std::vector<ElfAddress> addresses = {{0x1000}, {0x1100}, {0x1110}};
        std::vector<Symbol> answers(3);
        resolve_symbols(*sections, addresses, answers);
        for (const Symbol& answer : answers) CHECK(answer.unnamed != Unnamed::pending);
      }
    }
  }
  CHECK(tried > 100);
}
