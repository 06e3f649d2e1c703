// Tests debug information that is cut short, damaged or hostile.
// The reader must end soon, and every answer must stay within its limits.
#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "../made_elf.h"
#include "cpu_time.h"
#include "dwarf/lines_of.h"
#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr std::size_t longest_chain = 257;  // 256 inlined functions and the function that has the code
constexpr std::size_t longest_text = 16384;

// Builds bytes as a compiler writes them, one number at a time.
class Bytes {
 public:
  Bytes& u8(std::uint64_t value) { return number(value, 1); }
  Bytes& u16(std::uint64_t value) { return number(value, 2); }
  Bytes& u32(std::uint64_t value) { return number(value, 4); }
  Bytes& u64(std::uint64_t value) { return number(value, 8); }
  Bytes& text(const std::string& value) {
    for (const char c : value) u8(static_cast<unsigned char>(c));
    return u8(0);
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
  // The bytes behind their own length, as in units and tables.
  [[nodiscard]] std::vector<std::byte> with_length() const {
    Bytes whole;
    whole.u32(size());
    whole.bytes_.insert(whole.bytes_.end(), bytes_.begin(), bytes_.end());
    return whole.bytes_;
  }

 private:
  Bytes& number(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }
  std::vector<std::byte> bytes_;
};

// Abbreviations: 1 unit (low, high), 2 function (name, low, high), 3 inlined function (origin, low, high, line), 4
// function that only refers to another one (origin), 5 function with a list of ranges.
std::vector<std::byte> shapes() {
  Bytes out;
  out.u8(1).u8(0x11).u8(1).u8(0x11).u8(0x01).u8(0x12).u8(0x07).u8(0).u8(0);
  out.u8(2).u8(0x2e).u8(1).u8(0x03).u8(0x08).u8(0x11).u8(0x01).u8(0x12).u8(0x07).u8(0).u8(0);
  out.u8(3).u8(0x1d).u8(1).u8(0x31).u8(0x13).u8(0x11).u8(0x01).u8(0x12).u8(0x07).u8(0x59).u8(0x05).u8(0).u8(0);
  out.u8(4).u8(0x2e).u8(0).u8(0x31).u8(0x13).u8(0).u8(0);
  out.u8(5).u8(0x2e).u8(0).u8(0x55).u8(0x17).u8(0).u8(0);
  return out.u8(0).bytes();
}

// A version 4 unit over [0x1000, 0x2000) with the abbreviations above and `entries` as children. Its header has 11
// bytes and its own entry 17, so the first of `entries` is at offset 28.
DwarfSections::InMemory unit_with(const Bytes& entries) {
  Bytes unit;
  unit.u16(4).u32(0).u8(8);
  unit.u8(1).u64(0x1000).u64(0x1000);
  for (const std::byte byte : entries.bytes()) unit.u8(static_cast<std::uint8_t>(byte));
  unit.u8(0);
  DwarfSections::InMemory sections;
  sections[static_cast<std::size_t>(DwarfSectionId::info)] = unit.with_length();
  sections[static_cast<std::size_t>(DwarfSectionId::abbrev)] = shapes();
  return sections;
}

SourceChains read(const DwarfSections::InMemory& sections, const std::vector<ElfAddress>& addresses) {
  return read_lines_of(DwarfSections(sections), std::nullopt, addresses);
}

void check_bounds(const SourceChains& chains, std::size_t addresses) {
  for (std::size_t i = 0; i < addresses; ++i) {
    CHECK(chains.chain(i).size() <= longest_chain);
    for (const SourcePosition& position : chains.chain(i)) {
      CHECK(chains.strings().view(position.function).size() <= longest_text);
      CHECK(chains.strings().view(position.file).size() <= longest_text);
    }
  }
}

// A small library and the addresses of its function.
struct Victim {
  std::string content;
  std::vector<ElfAddress> addresses;

  explicit Victim(const std::string& flags) {
    const std::string path = compile("victim.c", R"(
extern int sink(int);
__attribute__((always_inline)) static inline int deep(int a) { return sink(a) + 1; }
__attribute__((always_inline)) static inline int middle(int a) { return a > 3 ? deep(a) : deep(a + 2); }
int outer(int a) { return middle(a) + sink(a); }
)",
                                     "-O2 -fPIC -shared -nostdlib -Wl,--build-id=none " + flags);
    REQUIRE(!path.empty());
    std::ifstream in(path, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(in), {});
    const auto [begin, size] = known(path).at("outer");
    for (std::uint64_t i = 0; i < size; i += 3) addresses.push_back({begin + i});
  }

  SourceChains read(const std::string& bytes) const {
    const Fd fd = in_memory(bytes);
    return read_source_lines(fd.get(), fd.get(), addresses);
  }
};

const std::vector<std::string> all_flags{"-gdwarf-5", "-gdwarf-4", "-gdwarf-2", "-g -gz=zlib"};

}  // namespace

TEST_CASE("the hand-made unit is read correctly") {
  Bytes entries;
  entries.u8(2).text("concrete").u64(0x1100).u64(0x100);  // at offset 28
  entries.u8(3).u32(28).u64(0x1110).u64(0x10).u16(7);     // inlined into itself
  entries.u8(0);
  const SourceChains chains = read(unit_with(entries), {{0x1115}, {0x1180}, {0x1fff}});
  CHECK(chains.why().empty());
  REQUIRE(chains.chain(0).size() == 2);
  CHECK(chains.strings().view(chains.chain(0)[0].function) == "concrete");
  CHECK(chains.chain(0)[1].line == 7);
  REQUIRE(chains.chain(1).size() == 1);
  CHECK(chains.chain(2).empty());
}

TEST_CASE("a file that is cut off anywhere is read without a fault") {
  for (const std::string& flags : all_flags) {
    const Victim victim(flags);
    std::size_t known_something = 0;
    for (std::size_t size = 0; size < victim.content.size(); size += 97) {
      const SourceChains chains = victim.read(victim.content.substr(0, size));
      check_bounds(chains, victim.addresses.size());
      known_something += chains.chain(0).empty() ? 0 : 1;
    }
    CHECK(known_something == 0);  // the section headers are at the end, so no cut file has them
    CHECK(victim.read(victim.content).chain(0).size() >= 1);
  }
}

TEST_CASE("sections that are cut off anywhere are read without a fault") {
  for (const std::string& flags : all_flags) {
    const Victim victim(flags);
    Elf64_Ehdr header;
    std::memcpy(&header, victim.content.data(), sizeof header);
    for (unsigned section = 1; section < header.e_shnum; ++section) {
      const std::size_t at = header.e_shoff + section * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size);
      for (std::uint64_t size = 0; size < 400; size += 3) {
        std::string bytes = victim.content;
        std::memcpy(bytes.data() + at, &size, sizeof size);
        check_bounds(victim.read(bytes), victim.addresses.size());
      }
    }
  }
}

TEST_CASE("random damage to bytes does no harm") {
  std::mt19937 random(7);
  for (const std::string& flags : all_flags) {
    const Victim victim(flags);
    for (int round = 0; round < 1500; ++round) {
      std::string bytes = victim.content;
      for (unsigned i = 0, count = 1 + random() % 8; i < count; ++i) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      check_bounds(victim.read(bytes), victim.addresses.size());
    }
  }
}

TEST_CASE("functions that refer to each other in a circle have no name and cause no endless loop") {
  Bytes entries;
  entries.u8(4).u32(33);  // at offset 28
  entries.u8(4).u32(28);  // at offset 33
  entries.u8(2).text("f").u64(0x1000).u64(0x800);
  entries.u8(3).u32(28).u64(0x1000).u64(0x10).u16(3).u8(0);
  const SourceChains chains = read(unit_with(entries), {{0x1005}});
  REQUIRE(chains.chain(0).size() == 2);
  CHECK(chains.chain(0)[0].function == StringId::empty);
  CHECK(chains.strings().view(chains.chain(0)[1].function) == "f");
}

TEST_CASE("a chain of a thousand inlined functions keeps its outermost frames, 256 in all") {
  Bytes entries;
  entries.u8(2).text("f").u64(0x1000).u64(0x800);
  for (unsigned i = 0; i < 1000; ++i) entries.u8(3).u32(28).u64(0x1000).u64(0x800).u16(i);
  for (unsigned i = 0; i < 1001; ++i) entries.u8(0);
  const SourceChains chains = read(unit_with(entries), {{0x1005}});
  REQUIRE(chains.chain(0).size() == longest_chain);
  CHECK(chains.chain(0).back().line == 0);   // the call of the outermost inlined function
  CHECK(chains.chain(0).front().line == 0);  // no line table
  CHECK(chains.chain(0)[longest_chain - 2].line == 1);
}

TEST_CASE("a million nested entries do no harm") {
  Bytes entries;
  for (unsigned i = 0; i < 1000000; ++i) entries.u8(2).text("").u64(0).u64(0);
  check_bounds(read(unit_with(entries), {{0x1005}}), 1);
}

TEST_CASE("a name of megabytes is cut off") {
  Bytes entries;
  entries.u8(2).text(std::string(3000, 'x')).u64(0x1000).u64(0x800).u8(0);
  CHECK(read(unit_with(entries), {{0x1005}}).chain(0).size() == 1);
  DwarfSection section(std::vector<std::byte>(5 << 20, std::byte{'y'}));
  CHECK(section.text(1).size() == longest_text);
  CHECK(section.text(6 << 20).empty());
}

TEST_CASE("a hundred thousand functions with one list of a million ranges are given up within seconds") {
  Bytes entries;
  for (unsigned i = 0; i < 100000; ++i) entries.u8(5).u32(0);
  DwarfSections::InMemory sections = unit_with(entries);
  Bytes ranges;
  for (unsigned i = 0; i < 100000; ++i) ranges.u64(1).u64(2);
  sections[static_cast<std::size_t>(DwarfSectionId::ranges)] = ranges.bytes();
  std::string why;
  const double taken = cpu_seconds([&] { why = read(sections, {{0x1005}}).why(); }, 20);
  CHECK(why == "debug information that leads in circles, given up");
  CHECK(taken < 20);  // it takes a hundredth of this without sanitizers
}

TEST_CASE("a compressed section that claims terabytes is refused with a reason") {
  const Victim victim("-g -gz=zlib");
  Elf64_Ehdr header;
  std::memcpy(&header, victim.content.data(), sizeof header);
  std::string bytes = victim.content;
  for (unsigned i = 1; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof section, sizeof section);
    if ((section.sh_flags & SHF_COMPRESSED) == 0) continue;
    const std::uint64_t claimed = std::uint64_t{1} << 42;
    std::memcpy(bytes.data() + section.sh_offset + offsetof(Elf64_Chdr, ch_size), &claimed, sizeof claimed);
  }
  const SourceChains chains = victim.read(bytes);
  CHECK(chains.chain(0).empty());
  CHECK(chains.why().find("is too large once decompressed") != std::string::npos);
}
