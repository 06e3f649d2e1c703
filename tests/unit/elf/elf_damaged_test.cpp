// Tests ELF files that no compiler makes: damaged, cut short, or made to take endless time.
#include <doctest/doctest.h>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "cpu_time.h"
#include "elf/symbol_table.h"
#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

struct Layout32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
  using Entry = Elf32_Sym;
  static constexpr unsigned char elf_class = ELFCLASS32;
};
struct Layout64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
  using Entry = Elf64_Sym;
  static constexpr unsigned char elf_class = ELFCLASS64;
};

// Header, segments, sections (none, .text, .symtab, .strtab), symbols and strings. A test may change each field before
// it writes the file.
template <class Layout>
struct Made {
  typename Layout::Header header{};
  std::vector<typename Layout::Segment> segments;
  std::vector<typename Layout::Section> sections;
  std::vector<typename Layout::Entry> symbols{{}};
  std::string strings = std::string(1, '\0');

  Made() : sections(4) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = Layout::elf_class;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_phentsize = sizeof(typename Layout::Segment);
    header.e_shentsize = sizeof(typename Layout::Section);
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    sections[1].sh_addr = 0x1000;
    sections[1].sh_size = 0x10000;
    sections[2].sh_type = SHT_SYMTAB;
    sections[2].sh_link = 3;
    sections[2].sh_entsize = sizeof(typename Layout::Entry);
    sections[3].sh_type = SHT_STRTAB;
  }
  void segment(std::uint32_t flags, std::uint64_t offset, std::uint64_t address, std::uint64_t size) {
    typename Layout::Segment made{};
    made.p_type = PT_LOAD;
    made.p_flags = flags;
    made.p_offset = static_cast<decltype(made.p_offset)>(offset);
    made.p_vaddr = static_cast<decltype(made.p_vaddr)>(address);
    made.p_filesz = static_cast<decltype(made.p_filesz)>(size);
    segments.push_back(made);
  }
  typename Layout::Entry& symbol(const std::string& name, std::uint64_t start, std::uint64_t size) {
    typename Layout::Entry made{};
    made.st_name = static_cast<std::uint32_t>(strings.size());
    strings += name + '\0';
    made.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    made.st_shndx = 1;
    made.st_value = static_cast<decltype(made.st_value)>(start);
    made.st_size = static_cast<decltype(made.st_size)>(size);
    symbols.push_back(made);
    return symbols.back();
  }
  // Fills in the counts, sizes and offsets that follow from the other fields.
  void lay_out() {
    using Word = decltype(header.e_phoff);
    auto place = [at = sizeof header](std::size_t size) mutable { return static_cast<Word>((at += size) - size); };
    header.e_phoff = place(segments.size() * sizeof segments[0]);
    header.e_phnum = static_cast<std::uint16_t>(segments.size());
    header.e_shoff = place(sections.size() * sizeof sections[0]);
    header.e_shnum = static_cast<std::uint16_t>(sections.size());
    sections[2].sh_size = static_cast<Word>(symbols.size() * sizeof symbols[0]);
    sections[2].sh_offset = place(sections[2].sh_size);
    sections[3].sh_size = static_cast<Word>(strings.size());
    sections[3].sh_offset = place(sections[3].sh_size);
  }
  [[nodiscard]] std::string write() const {
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    const auto append = [&bytes](const auto& all) {
      bytes.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof all[0]);
    };
    append(segments);
    append(sections);
    append(symbols);
    append(strings);
    const std::string path = directory().file("made");
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
};

std::string refused(const std::string& path) {
  const Fd fd = open_file(path);
  std::string why;
  return ElfFile::read(fd.get(), why) ? "" : why;
}

Unnamed reason(const std::string& path) { return resolve(path, {0x1004})[0].unnamed; }

Made<Layout64> sound() {
  Made<Layout64> made;
  made.symbol("f", 0x1000, 16);
  made.lay_out();
  return made;
}

void resolve_all(const std::string& path, const std::vector<std::uint64_t>& addresses) {
  for (const Symbol& symbol : resolve(path, addresses)) {
    CHECK(symbol.unnamed != Unnamed::pending);
    CHECK(symbol.name.size() <= ElfNameReader::max_name_bytes);
  }
}

}  // namespace

TEST_CASE("a 32-bit file is read like a 64-bit file") {
  Made<Layout32> made;
  made.symbol("f", 0x1000, 16);
  made.symbol("g", 0x1010, 0);
  made.segment(PF_X, 0, 0x1000, 64);
  made.lay_out();
  const std::string path = made.write();
  CHECK(one(path, 0x100f) == "f+15");
  CHECK(one(path, 0x1018) == "g+8");
  const Fd fd = open_file(path);
  std::string why;
  CHECK(ElfFile::read(fd.get(), why)->address_of({16}) == ElfAddress{0x1010});
}

TEST_CASE("a file that is no ELF file of this machine is refused with a reason") {
  std::ofstream(directory().file("text"))
      << "#!/bin/sh\nthis is a text of more than sixty-four bytes, for sure it is.\n";
  CHECK(refused(directory().file("text")) == "is not an ELF file");
  std::ofstream(directory().file("empty")).flush();
  CHECK(refused(directory().file("empty")) == "is not an ELF file");
  auto made = sound();
  CHECK(refused(made.write()).empty());
  made.header.e_ident[EI_DATA] = ELFDATA2MSB;
  CHECK(refused(made.write()) == "is an ELF file of the other byte order");
  made = sound();
  made.header.e_ident[EI_CLASS] = 7;
  CHECK(refused(made.write()) == "is an ELF file of an unknown class");
  made = sound();
  made.header.e_type = ET_REL;
  CHECK(refused(made.write()) == "is neither a program nor a shared library");
  made = sound();
  made.header.e_phnum = 65535;
  CHECK(refused(made.write()) == "has unbelievable program headers");
  made = sound();
  made.header.e_phnum = 1000;
  made.header.e_phoff = UINT64_MAX - 8;
  CHECK(refused(made.write()) == "is a truncated ELF file (no program headers)");
}

TEST_CASE("an impossible symbol table gives a reason and no crash") {
  CHECK(one(sound().write(), 0x1004) == "f+4");
  const auto spoilt = [](auto spoil) {
    auto made = sound();
    spoil(made);
    return made.write();
  };
  CHECK(reason(spoilt([](auto& made) { made.sections[2].sh_entsize = 0; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.sections[2].sh_entsize = 1; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.sections[2].sh_link = 77; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.sections[2].sh_link = 1; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.sections[2].sh_size = UINT64_MAX; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.sections[2].sh_offset = UINT64_MAX; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.sections[3].sh_size = 1ULL << 40; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.header.e_shoff = 1ULL << 40; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.header.e_shentsize = 3; })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) {
          made.header.e_shnum = 0;  // "see section 0", which claims two billion sections
          made.sections[0].sh_size = 1ULL << 31;
        })) == Unnamed::file_malformed);
  CHECK(reason(spoilt([](auto& made) { made.header.e_shoff = 0; })) == Unnamed::no_symbol);
  CHECK(reason(spoilt([](auto& made) { made.symbols[1].st_name = 0xffffffff; })) == Unnamed::no_symbol);
  CHECK(reason(spoilt([](auto& made) { made.symbols[1].st_name = 0; })) == Unnamed::no_symbol);
  CHECK(reason(spoilt([](auto& made) { made.symbols[1].st_shndx = SHN_ABS; })) == Unnamed::no_symbol);
  CHECK(reason(spoilt([](auto& made) { made.symbols[1].st_shndx = SHN_UNDEF; })) == Unnamed::no_symbol);
  CHECK(reason(spoilt([](auto& made) { made.symbols[1].st_shndx = 9; })) == Unnamed::no_symbol);
  CHECK(reason(spoilt([](auto& made) { made.sections[1].sh_flags = 0; })) == Unnamed::no_symbol);
}

TEST_CASE("marks of assemblers and linkers are not used as names") {
  for (const std::string name : {"$x", "$d.12", ".Lfoo", "_etext", "__bss_start", "__start_mine", "$x.foo"}) {
    Made<Layout64> made;
    made.symbol("label", 0x1000, 0).st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
    made.symbol(name, 0x1002, 0).st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
    made.lay_out();
    CHECK(one(made.write(), 0x1004) == "label+4");
  }
}

TEST_CASE("a function that claims the whole address space gives way to the functions inside it") {
  Made<Layout64> made;
  made.symbol("f", 0x1000, 16);
  made.symbol("everything", 8, UINT64_MAX - 2);
  made.lay_out();
  const std::string path = made.write();
  CHECK(one(path, 0x1004) == "f+4");
  CHECK(one(path, 0x1010) == "everything+" + std::to_string(0x1010 - 8));
  CHECK(one(path, UINT64_MAX - 1) == "everything+" + std::to_string(UINT64_MAX - 9));
  CHECK(one(path, 4) == "?");
}

TEST_CASE("an offset in two segments belongs to the executable segment") {
  Made<Layout64> made;
  made.segment(PF_R, 0, 0, 0x800);
  made.segment(PF_R | PF_X, 0x800, 0x1800, 0x1000);
  made.segment(PF_R | PF_W, 0x1800, 0x4800, 0x100);
  made.segment(PF_R | PF_X, 0x10000, 0x200000, 0x2000);
  made.lay_out();
  const Fd fd = open_file(made.write());
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE(file);
  CHECK(file->address_of({0x800}) == ElfAddress{0x1800});
  CHECK(file->address_of({0x400}) == ElfAddress{0x1400});   // headers, mapped with the first page of the code
  CHECK(file->address_of({0x1810}) == ElfAddress{0x2810});  // mapped with the last page of the code
  CHECK(file->address_of({0x11fff}) == ElfAddress{0x201fff});
  CHECK(file->address_of({0x90000}) == std::nullopt);
}

TEST_CASE("symbols that all cover everything cost little time and memory") {
  Made<Layout64> made;
  for (std::uint64_t i = 0; i < 200'000; ++i) made.symbol("n" + std::to_string(i), 0x1000 + i % 5000, UINT64_MAX / 2);
  made.lay_out();
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < 10'000; ++i) addresses.push_back(0x1000 + 3 * i);
  const std::string path = made.write();
  CHECK(cpu_seconds([&] { resolve_all(path, addresses); }, 3) < 3);
  CHECK(one(path, 0x1000 + 4999) == "n4999+0");
}

TEST_CASE("endless names are cut off, and too many endless names are refused") {
  Made<Layout64> made;
  made.symbol("f", 0x1000, 16);
  made.strings += std::string(100'000, 'x');
  made.symbols[1].st_name = 3;
  made.lay_out();
  CHECK(resolve(made.write(), {0x1004})[0].name == std::string(ElfNameReader::max_name_bytes, 'x'));

  Made<Layout64> many;
  const std::string filling(60'000, 'y');
  many.strings += filling;
  std::vector<std::uint64_t> addresses;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    many.symbol("", 0x1000 + 2ULL * i, 2).st_name = 1 + i;
    addresses.push_back(0x1000 + 2ULL * i);
  }
  many.lay_out();
  const auto symbols = resolve(many.write(), addresses);
  std::size_t bytes = 0;
  for (const Symbol& symbol : symbols) {
    bytes += symbol.name.size();
    CHECK((symbol.unnamed == Unnamed::named || symbol.unnamed == Unnamed::file_malformed));
  }
  CHECK(bytes < 30'000'000);
  CHECK(symbols.front().unnamed == Unnamed::named);
  CHECK(symbols.back().unnamed == Unnamed::file_malformed);
}

TEST_CASE("a file that is cut off anywhere or has flipped bits does no harm") {
  std::ifstream in(labels(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto base = known(labels()).at("outer").first;
  const std::vector<std::uint64_t> values = {0,         base,      base + 20,  base + 44,
                                             base + 50, base + 60, base + 100, UINT64_MAX};
  std::vector<ElfAddress> addresses;
  for (const std::uint64_t value : values) addresses.push_back({value});
  const std::string path = directory().file("damaged");
  const Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  REQUIRE(fd);
  const auto survives = [&](const std::string& bytes) {
    REQUIRE(::ftruncate(fd.get(), 0) == 0);
    REQUIRE(::pwrite(fd.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    std::string why;
    const auto file = ElfFile::read(fd.get(), why);
    if (!file) return !why.empty();
    static_cast<void>(file->build_id());
    static_cast<void>(file->section(".text"));
    static_cast<void>(file->address_of({0x1000}));
    std::vector<Symbol> symbols(addresses.size());
    resolve_symbols(*file, addresses, symbols);
    return std::ranges::none_of(symbols, [](const Symbol& symbol) { return symbol.unnamed == Unnamed::pending; });
  };
  for (std::size_t size = 0; size < whole.size(); size += size < 1024 ? 1 : 61) CHECK(survives(whole.substr(0, size)));

  std::uint32_t random = 99;
  const auto below = [&random](std::size_t limit) {
    random = random * 1664525 + 1013904223;
    return (random >> 4) % limit;
  };
  // Half of the damage goes to the headers at both ends of the file, where it has the most effect.
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = whole;
    for (std::size_t flips = 1 + below(8); flips > 0; --flips) {
      const std::size_t end = below(2) == 0 ? below(600) : bytes.size() - 1 - below(4000);
      bytes[below(2) == 0 ? end : below(bytes.size())] ^= static_cast<char>(1U << below(8));
    }
    CHECK(survives(bytes));
  }
}
