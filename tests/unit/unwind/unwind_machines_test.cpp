// Tests arm64, and code that is known by its bytes: stubs, _init and _fini, the start of a program, and the return from
// a signal.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "elf_fixture.h"
#include "unwind_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::uint64_t code = made_code_address;

MadeCommon arm64_common() { return {.code_step = 4, .ra_register = 30, .instructions = bytes({0x0c, 31, 0})}; }

// A file whose code is `content` in a section of this name, and then 16 bytes. Only these 16 bytes have an entry.
std::string file_of(const std::string& section, const std::string& content, std::uint16_t machine) {
  MadeFrames frames;
  const bool is_arm64 = machine == EM_AARCH64;
  frames.function(frames.common(is_arm64 ? arm64_common() : MadeCommon{}), code + content.size(), 16, "");
  const std::string text = content + std::string(16, '\0');
  return made_elf({{.name = section, .content = text, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = code},
                   {.name = ".eh_frame", .content = frames.content()}},
                  machine, {code_segment(text.size())});
}

std::string instructions(const std::vector<std::uint32_t>& words) {
  std::string made;
  for (const std::uint32_t word : words) made += bytes_of(word);
  return made;
}

}  // namespace

TEST_CASE("the arm64 return address is in its register, then saved, then in its register again") {
  MadeFrames frames;
  const std::size_t common = frames.common(arm64_common());
  // stp x29, x30, [sp, -32]!; mov x29, sp; ...; ldp; the return address is signed, which a walk ignores
  frames.function(
      common, code, 0x4000,
      bytes({0x2d, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x41, 0x0d, 29, 0x03, 0x00, 0x08, 0xde, 0xdd, 0x0c, 31, 0}));
  const auto table = table_of(file_with_frames(frames.content(), EM_AARCH64));
  CHECK(at(table, 0) == "r31+0");
  CHECK(at(table, 4) == "r31+32 fp=c-32 ra=c-24");
  CHECK(at(table, 8) == "r29+32 fp=c-32 ra=c-24");
  CHECK(at(table, 8 + 4 * 0x800 - 4) == "r29+32 fp=c-32 ra=c-24");
  CHECK(at(table, 8 + 4 * 0x800) == "r31+0");
  CHECK(table.rules.size() == 1);
  CHECK(table.pages.size() == 5);  // pages of 4 KiB; the last byte of the code is in the fifth page
}

TEST_CASE("arm64 rules that do not fit into a row are separate rules") {
  struct Kind {
    std::string instructions;
    std::string words;
  };
  const Kind kinds[] = {
      {bytes({0x0e, 16, 0x9e, 2}), "r31+16 ra=c-16"},
      {bytes({0x0e, 16, 0x9d, 2, 0x9e, 2}), "r31+16 fp=c-16 ra=c-16"},
      {bytes({0x0c, 9, 16}), "r9+16"},
      {bytes({0x0e, 0x80, 0x40}), "r31+8192"},
      {bytes({0x07, 30}), "end"},
      {bytes({0x09, 30, 17}), "r31+0 ra=r17"},
      {bytes({0x0e, 0x80, 0x20, 0x9d}) + uleb(0x7ff) + bytes({0x9e}) + uleb(0x7fe), "r31+4096 fp=c-16376 ra=c-16368"},
  };
  for (const Kind& kind : kinds) {
    CAPTURE(kind.words);
    MadeFrames frames;
    frames.function(frames.common(arm64_common()), code, 0x100, kind.instructions);
    CHECK(at(table_of(file_with_frames(frames.content(), EM_AARCH64)), 0) == kind.words);
  }
}

TEST_CASE("lazy stubs without an entry get rows for the header and for each push") {
  const std::string header = bytes({0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0});
  const std::string stub = bytes({0xff, 0x25, 0, 0, 0, 0, 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0});
  const auto table = table_of(file_of(".plt", header + stub + stub, EM_X86_64));
  CHECK(at(table, 0) == "r7+16 ra=c-8");
  CHECK(at(table, 6) == "r7+24 ra=c-8");
  CHECK(at(table, 16) == "stub11+8 ra=c-8");
  CHECK(at(table, 47) == "stub11+8 ra=c-8");
  CHECK(at(table, 48) == "r7+8 ra=c-8");
  const std::string tracked = bytes({0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0, 0xf2, 0xe9, 0, 0, 0, 0, 0x90});
  CHECK(at(table_of(file_of(".plt", header + tracked, EM_X86_64)), 16) == "stub9+8 ra=c-8");
  CHECK(at(table_of(file_of(".plt", header + std::string(32, '\x90'), EM_X86_64)), 0) == "none");
  CHECK(at(table_of(file_of(".plt.sec", tracked, EM_X86_64)), 0) == "r7+8 ra=c-8");

  const std::string arm64_stub = instructions({0x90000110, 0xf9400211, 0x91000210, 0xd61f0220});
  const std::string arm64_header =
      instructions({0xa9bf7bf0, 0x90000110, 0xf9400211, 0x91000210, 0xd61f0220, 0xd503201f, 0xd503201f, 0xd503201f});
  const auto arm64 = table_of(file_of(".plt", arm64_header + arm64_stub, EM_AARCH64));
  CHECK(at(arm64, 0) == "r31+0");
  CHECK(at(arm64, 4) == "r31+16 ra=c-8");
  CHECK(at(arm64, 31) == "r31+16 ra=c-8");
  CHECK(at(arm64, 32) == "r31+0");
}

TEST_CASE("stubs with an entry get the rows of the entry") {
  MadeFrames frames;
  frames.function(frames.common(), code, 32, bytes({0x0e, 64}));
  const std::string header = bytes({0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0});
  const std::string stub = bytes({0xff, 0x25, 0, 0, 0, 0, 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0});
  const std::string text = header + stub + stub;
  const auto table =
      table_of(made_elf({{.name = ".plt", .content = text, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = code},
                         {.name = ".eh_frame", .content = frames.content()}},
                        EM_X86_64, {code_segment(text.size())}));
  CHECK(at(table, 0) == "r7+64 ra=c-8");
  CHECK(at(table, 31) == "r7+64 ra=c-8");
  CHECK(at(table, 32) == "none");
}

TEST_CASE("the functions _init and _fini get rows for their pushes") {
  // endbr64; sub $8, %rsp; call; add $8, %rsp; ret
  const std::string init =
      bytes({0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 8, 0xe8, 0, 0, 0, 0, 0x48, 0x83, 0xc4, 8, 0xc3});
  for (const std::string name : {".init", ".fini"}) {
    const auto table = table_of(file_of(name, init, EM_X86_64));
    CHECK(at(table, 0) == "r7+8 ra=c-8");
    CHECK(at(table, 7) == "r7+8 ra=c-8");
    CHECK(at(table, 8) == "r7+16 ra=c-8");
    CHECK(at(table, 16) == "r7+16 ra=c-8");
    CHECK(at(table, 17) == "r7+8 ra=c-8");
  }
  CHECK(at(table_of(file_of(".init", init.substr(0, 12), EM_X86_64)), 0) == "none");
  // nop; stp x29, x30, [sp, -16]!; mov x29, sp; bl; ldp x29, x30, [sp], 16; ret
  const auto arm64 = table_of(file_of(
      ".init", instructions({0xd503201f, 0xa9bf7bfd, 0x910003fd, 0x94000000, 0xa8c17bfd, 0xd65f03c0}), EM_AARCH64));
  CHECK(at(arm64, 4) == "r31+0");
  CHECK(at(arm64, 8) == "r31+16 fp=c-16 ra=c-8");
  CHECK(at(arm64, 16) == "r31+16 fp=c-16 ra=c-8");
  CHECK(at(arm64, 20) == "r31+0");
}

TEST_CASE("the start of a program has no caller, up to the first described function") {
  std::string file = file_of(".text", std::string(0x40, '\x90'), EM_X86_64);
  Elf64_Ehdr header{};
  std::memcpy(&header, file.data(), sizeof header);
  header.e_entry = code + 0x10;
  std::memcpy(file.data(), &header, sizeof header);
  const auto table = table_of(file);
  CHECK(at(table, 0xf) == "none");
  CHECK(at(table, 0x10) == "end");
  CHECK(at(table, 0x3f) == "end");
  CHECK(at(table, 0x40) == "r7+8 ra=c-8");
  CHECK(at(table, 0x50) == "none");
  // Behind a jump or a call that does not return, other functions begin.
  for (const std::string& last : {bytes({0x41, 0xff, 0xe4}), bytes({0x48, 0x83, 0xe4, 0xf0, 0xe8, 1, 2, 3, 4})}) {
    std::string ended = file;
    ended.replace(made_code_offset + 0x20, last.size(), last);
    const auto shorter = table_of(ended);
    CHECK(at(shorter, 0x20 + last.size() - 1) == "end");
    CHECK(at(shorter, 0x20 + last.size()) == "none");
  }
  for (const std::uint64_t entry : {std::uint64_t{1}, code + 0x40, UINT64_MAX}) {
    header.e_entry = entry;
    std::memcpy(file.data(), &header, sizeof header);
    CHECK(at(table_of(file), 0x3f) == "none");
  }
}

TEST_CASE("undescribed code after a described start of a program has no rows") {
  MadeFrames frames;
  frames.function(frames.common(), code, 0x20, bytes({0x07, 16}));
  std::string file = file_with_frames(frames.content());
  Elf64_Ehdr header{};
  std::memcpy(&header, file.data(), sizeof header);
  header.e_entry = code;
  std::memcpy(file.data(), &header, sizeof header);
  const auto table = table_of(file);
  CHECK(at(table, 0x1f) == "end");
  CHECK(at(table, 0x20) == "none");
}

TEST_CASE("the arm64 return from a signal follows the stack layout of Linux") {
  const auto table = table_of(file_of(".text", instructions({0xd503201f, 0xd2801168, 0xd4000001}), EM_AARCH64));
  CHECK(at(table, 0) == "none");
  const std::string back = "*(r31+560) fp=sp+544 ra=sp+568 extra=sp+552 signal";
  CHECK(at(table, 4) == back);
  CHECK(at(table, 8) == back);
}

TEST_CASE("a file without section headers gets the same rows") {
  const std::string path = compile("frames.c", "int f(int* p); int g(int n) { int a[99]; return f(a) + n; }",
                                   "-O2 -shared -fPIC -fomit-frame-pointer -fasynchronous-unwind-tables");
  if (path.empty()) return;
  std::string file;
  {
    std::ifstream in(path, std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto whole = table_of(file);
  Elf64_Ehdr header{};
  std::memcpy(&header, file.data(), sizeof header);
  header.e_shoff = 0;
  header.e_shnum = header.e_shstrndx = 0;
  std::memcpy(file.data(), &header, sizeof header);
  const auto without = table_of(file);
  // Code that is known by the name of its section has no rows here.
  CHECK(without.rows.size() > 4);
  CHECK(without.rows.size() <= whole.rows.size());
  const auto [function, size] = known(path).at("g");
  std::string why;
  const Fd fd = open_file(path);
  const auto elf = ElfFile::read(fd.get(), why);
  REQUIRE(elf);
  const auto offset = elf->offset_of({function});
  REQUIRE(offset);
  for (std::uint64_t i = 0; i < size; ++i) {
    CHECK(in_words(rule_at(without, {offset->value + i})) == in_words(rule_at(whole, {offset->value + i})));
  }
}
