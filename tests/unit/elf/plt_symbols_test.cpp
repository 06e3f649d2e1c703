// Compares the names of PLT stubs with the names in objdump's disassembly.
#include "elf/plt_symbols.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "../made_elf.h"
#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

// Calls functions, and takes the address of one of them, which then has another kind of stub.
constexpr const char* source =
    "int puts(const char*); int atoi(const char*); int abs(int); long labs(long); void* memcpy(void*, const void*, "
    "unsigned long);\n"
    "int (*volatile taken)(const char*) = atoi;\n"
    "int main(int argc, char** argv) {\n"
    "  char copy[64];\n"
    "  memcpy(copy, argv[0], (unsigned long)argc);\n"
    "  return puts(argv[0]) + atoi(copy) + taken(argv[0]) + abs(argc) + (int)labs(argc);\n"
    "}\n";

// Needs no C library, so it can be compiled for any machine.
constexpr const char* called_source =
    "int alpha(int x) { return x; } int beta(int x) { return x + 1; } int gamma(int x) { return x + 2; }\n";
constexpr const char* caller_source =
    "int alpha(int); int beta(int); int gamma(int);\n"
    "int (*delta(void))(int) { return gamma; }\n"
    "int caller(int x) { return alpha(x) + beta(x) + gamma(x); }\n";

std::vector<Symbol> names_at(const std::string& path, const std::vector<std::uint64_t>& values) {
  const Fd fd = open_file(path);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(file, why);
  std::vector<ElfAddress> addresses;
  for (const std::uint64_t value : values) addresses.push_back({value});
  std::vector<Symbol> answers(addresses.size());
  resolve_stubs(*file, addresses, answers);
  return answers;
}

// The labels of a disassembly, such as "0000000000001050 <puts@plt>:".
std::map<std::uint64_t, std::string> labels_of(const std::string& path, const std::string& objdump) {
  std::map<std::uint64_t, std::string> labels;
  const std::string list = path + ".dis";
  REQUIRE(run(objdump + " -d " + path + " >" + list));
  std::ifstream in(list);
  std::string line;
  while (std::getline(in, line)) {
    char name[256] = {};
    unsigned long address = 0;
    if (std::sscanf(line.c_str(), "%lx <%255[^>]>:", &address, name) == 2 && std::string(name).ends_with("@plt"))
      labels[address] = name;
  }
  return labels;
}

void check_as_disassembled(const std::string& path, std::size_t at_least, std::uint64_t stub_bytes,
                           const std::string& objdump = "objdump") {
  CAPTURE(path);
  const auto labels = labels_of(path, objdump);
  REQUIRE(labels.size() >= at_least);
  std::vector<std::uint64_t> addresses;
  for (const auto& [start, label] : labels) {
    for (std::uint64_t offset = 0; offset < stub_bytes; ++offset) addresses.push_back(start + offset);
  }
  const auto answers = names_at(path, addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    CAPTURE(addresses[i]);
    const auto label = std::prev(labels.upper_bound(addresses[i]));
    CHECK(answers[i].unnamed == Unnamed::named);
    CHECK(answers[i].name == label->second);
    CHECK(answers[i].start == label->first);
  }
}

std::pair<std::uint64_t, std::uint64_t> section_of(const std::string& path, std::string_view name) {
  const Fd fd = open_file(path);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  const ElfSection* const section = file->section(name);
  return section != nullptr ? std::pair(section->address, section->size)
                            : std::pair(std::uint64_t{0}, std::uint64_t{0});
}

// 16 bytes of code; int3 fills the rest.
std::string code(std::string bytes) {
  bytes.resize(16, '\xcc');
  return bytes;
}
std::string jump_through(std::int32_t distance) { return "\xff\x25" + bytes_of(distance); }

// A library with .plt at 0x1000. Its relocations fill slots at 0x4000, 0x4008, … with the symbols "one", "two", …
std::string made_library(const std::string& plt, std::vector<Elf64_Rela> relocations = {}) {
  const std::string strings = std::string("\0one\0two\0three@V1\0", 18);
  std::string symbols(sizeof(Elf64_Sym), '\0');
  for (const std::uint32_t name : {1, 5, 9}) {
    Elf64_Sym symbol{};
    symbol.st_name = name;
    symbols += bytes_of(symbol);
  }
  if (relocations.empty()) {
    for (std::uint64_t i = 0; i < 3; ++i)
      relocations.push_back({0x4000 + 8 * i, ELF64_R_INFO(i + 1, R_X86_64_JUMP_SLOT), 0});
  }
  std::string filled;
  for (const Elf64_Rela& relocation : relocations) filled += bytes_of(relocation);
  return made_elf(
      {{.name = ".dynsym", .content = symbols, .type = SHT_DYNSYM, .flags = SHF_ALLOC, .link = 2, .entry_bytes = 24},
       {.name = ".dynstr", .content = strings, .type = SHT_STRTAB, .flags = SHF_ALLOC},
       {.name = ".rela.plt", .content = filled, .type = SHT_RELA, .flags = SHF_ALLOC, .link = 1, .entry_bytes = 24},
       {.name = ".plt", .content = plt, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000}});
}

std::vector<std::string> made_names(const std::string& content, const std::vector<std::uint64_t>& values) {
  const Fd fd = in_memory(content);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(file, why);
  std::vector<ElfAddress> addresses;
  for (const std::uint64_t value : values) addresses.push_back({value});
  std::vector<Symbol> answers(addresses.size());
  resolve_stubs(*file, addresses, answers);
  std::vector<std::string> names;
  for (const Symbol& answer : answers) names.push_back(answer.unnamed == Unnamed::named ? answer.name : "?");
  return names;
}

}  // namespace

TEST_CASE("stubs have the same names as in a disassembler, for every linker and linker option") {
  struct Variant {
    const char* flags;
    std::size_t at_least;
    std::uint64_t stub_bytes;  // of the shortest stub
  };
  constexpr Variant variants[] = {
      {"-Wl,-z,lazy", 5, 8},
      {"-Wl,-z,now", 5, 8},
      {"-no-pie -fno-pie -Wl,-z,lazy", 4, 8},
      {"-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy", 5, 16},
      {"-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,now", 5, 16},
      {"-fuse-ld=lld -Wl,-z,lazy", 5, 16},
      {"-fuse-ld=lld -Wl,-z,now", 5, 16},
      {"-fuse-ld=lld -fcf-protection=full -Wl,-z,force-ibt -nostartfiles -Wl,-e,main", 4, 16},
  };
  for (const Variant& variant : variants) {
    CAPTURE(std::string(variant.flags));
    const std::string path = compile("plt.c", source, std::string("-O1 -fno-builtin ") + variant.flags);
    if (path.empty()) {
      MESSAGE("not possible here");
      continue;
    }
    check_as_disassembled(path, variant.at_least, variant.stub_bytes);
  }
}

TEST_CASE("the lazy half of a branch-tracking stub has its name, too") {
  const std::string path = compile("ibt.c", source, "-O1 -fno-builtin -fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy");
  if (path.empty()) return;
  const auto [lazy, lazy_bytes] = section_of(path, ".plt");
  const auto [direct, direct_bytes] = section_of(path, ".plt.sec");
  REQUIRE(direct_bytes >= 64);
  REQUIRE(lazy_bytes == direct_bytes + 16);  // .plt also has a header
  for (std::uint64_t offset = 0; offset < direct_bytes; offset += 16) {
    const auto names = names_at(path, {lazy + 16 + offset, lazy + 16 + offset + 9, direct + offset});
    CHECK(names[2].unnamed == Unnamed::named);
    CHECK(names[0].name == names[2].name);
    CHECK(names[1].name == names[2].name);
    CHECK(names[0].start == lazy + 16 + offset);
  }
}

TEST_CASE("stubs of arm64 are named, with and without branch and pointer protection") {
  struct Variant {
    const char* flags;
    std::uint64_t stub_bytes;
  };
  constexpr Variant variants[] = {
      {"-fPIC -shared", 16},
      {"-fPIC -shared -Wl,-z,pac-plt", 24},
      {"-fno-pic -no-pie -Wl,-e,caller", 16},
      {"-fno-pic -no-pie -Wl,-e,caller -mbranch-protection=bti -Wl,-z,force-bti", 24},
      {"-fno-pic -no-pie -Wl,-e,caller -mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt", 24},
  };
  const std::string called = directory().file("called.c");
  const std::string caller = directory().file("caller.c");
  const std::string library = directory().file("libcalled.so");
  std::ofstream(called) << called_source;
  std::ofstream(caller) << caller_source;
  const std::string clang = "clang --target=aarch64-linux-gnu -O1 -nostdlib -fuse-ld=lld ";
  if (!run("clang --version >/dev/null && ld.lld --version >/dev/null && llvm-objdump --version >/dev/null")) {
    MESSAGE("no clang with lld here");
    return;
  }
  REQUIRE(run(clang + "-fPIC -shared -mbranch-protection=standard -o " + library + " " + called));
  for (const Variant& variant : variants) {
    CAPTURE(std::string(variant.flags));
    const std::string path = directory().file("caller");
    REQUIRE(run(clang + variant.flags + " -o " + path + " " + caller + " " + library));
    check_as_disassembled(path, 3, variant.stub_bytes, "llvm-objdump");
    const std::uint64_t header = section_of(path, ".plt").first;
    for (std::uint64_t at = header; at < header + 32; at += 4)
      CHECK(names_at(path, {at})[0].unnamed == Unnamed::no_symbol);
  }
}

TEST_CASE("stubs of a static program have the names of the functions that choose an implementation") {
  const std::string path = compile("static.c", source, "-O1 -fno-builtin -static");
  if (path.empty()) {
    MESSAGE("no static C library here");
    return;
  }
  // The addresses of the choosers, from the relocations: "00000040400018 000000000025 R_X86_64_IRELATIV 401080".
  std::vector<std::uint64_t> choosers;
  REQUIRE(run("readelf -rW " + path + " >" + path + ".relocations"));
  std::ifstream in(path + ".relocations");
  for (std::string line; std::getline(in, line);) {
    unsigned long chooser = 0;
    if (std::sscanf(line.c_str(), "%*x %*x R_%*[^ ] %lx", &chooser) == 1) choosers.push_back(chooser);
  }
  const auto symbols = known(path);
  const auto [begin, bytes] = section_of(path, ".plt");
  REQUIRE(bytes >= 64);
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t offset = 0; offset + 8 <= bytes; offset += 8) addresses.push_back(begin + offset);
  std::vector<std::uint64_t> named;
  for (const Symbol& answer : names_at(path, addresses)) {
    REQUIRE(answer.unnamed == Unnamed::named);
    REQUIRE(answer.name.ends_with("@plt"));
    named.push_back(symbols.at(answer.name.substr(0, answer.name.size() - 4)).first);
  }
  std::ranges::sort(choosers);
  std::ranges::sort(named);
  CHECK(named == choosers);
  CHECK(std::ranges::count(named, symbols.at("strlen").first) == 1);
}

TEST_CASE("an address outside of all stubs keeps its reason") {
  const std::string path = compile("other.c", source, "-O1 -fno-builtin");
  const auto [begin, bytes] = section_of(path, ".plt");
  const auto text = section_of(path, ".text").first;
  const Fd fd = open_file(path);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  const std::vector<ElfAddress> addresses = {{begin}, {begin + 16}, {text}, {text + 1}, {~std::uint64_t{0}}};
  std::vector<Symbol> answers(5);
  answers[1] = {.name = "known", .start = 5, .unnamed = Unnamed::named};
  answers[2].unnamed = Unnamed::file_malformed;
  resolve_stubs(*file, addresses, answers);
  CHECK(answers[0].unnamed == Unnamed::no_symbol);  // the header, which belongs to no function
  CHECK(answers[1].name == "known");
  CHECK(answers[2].unnamed == Unnamed::file_malformed);
  CHECK(answers[3].unnamed == Unnamed::no_symbol);
  CHECK(answers[4].unnamed == Unnamed::no_symbol);
}

TEST_CASE("a stub of mold and a stub with an old prefix are recognised") {
  const std::string plt = code(std::string("\xf3\x0f\x1e\xfa\x41\xbb\x01\0\0\0", 10) + jump_through(0x3000 - 16)) +
                          code("\xf2" + jump_through(0x4008 - 0x1010 - 7)) + code(jump_through(0x4010 - 0x1020 - 6));
  CHECK(made_names(made_library(plt), {0x1000, 0x100f, 0x1010, 0x1018, 0x1020}) ==
        std::vector<std::string>{"one@plt", "one@plt", "two@plt", "two@plt", "three@V1@plt"});
}

TEST_CASE("the name of a stub comes from its slot, not from its place in the table") {
  const std::string plt = code(jump_through(0x4010 - 0x1000 - 6)) + code(jump_through(0x4000 - 0x1010 - 6));
  CHECK(made_names(made_library(plt), {0x1000, 0x1010}) == std::vector<std::string>{"three@V1@plt", "one@plt"});
}

TEST_CASE("invalid stubs and relocations give no name") {
  const std::string plt = code(jump_through(0x4000 - 0x1000 - 6)) + code(jump_through(0x5000)) +
                          code("\x68" + bytes_of(std::uint32_t{77})) + code("\x90") + "\xff\x25";
  const std::vector<std::uint64_t> all = {0x1000, 0x1010, 0x1020, 0x1030, 0x1040};
  const auto nameless = std::vector<std::string>(5, "?");
  CHECK(made_names(made_library(plt, {{0x4000, ELF64_R_INFO(99, R_X86_64_JUMP_SLOT), 0}}), all) == nameless);
  CHECK(made_names(made_library(plt, {{0x4000, ELF64_R_INFO(1, R_X86_64_RELATIVE), 0}}), all) == nameless);
  CHECK(made_names(made_library(plt, {{0x4000, ELF64_R_INFO(0, R_X86_64_JUMP_SLOT), 0}}), all) == nameless);
  CHECK(made_names(made_library(plt, {{0x4000, ELF64_R_INFO(0, R_X86_64_IRELATIVE), 0x1234}}), all) == nameless);
}

TEST_CASE("a file of an unknown machine has no stubs") {
  const std::string plt = code(jump_through(0x4000 - 0x1000 - 6));
  std::string file = made_library(plt);
  file[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_RISCV);
  CHECK(made_names(file, {0x1000}) == std::vector<std::string>{"?"});
}

TEST_CASE("many stubs with one slot cost no more than one stub") {
  std::string plt;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    addresses.push_back(0x1000 + 16 * i);
    plt += code(jump_through(static_cast<std::int32_t>(0x4000 - static_cast<std::int64_t>(addresses.back()) - 6)));
  }
  std::vector<Elf64_Rela> relocations(100'000, {0x4000, ELF64_R_INFO(2, R_X86_64_JUMP_SLOT), 0});
  const auto names = made_names(made_library(plt, relocations), addresses);
  CHECK(std::ranges::count(names, "two@plt") == 20'000);
}
