// Names offsets of a file in one batch and in many small batches, which use the remembered ranges of functions.
// Both ways must give the same answers.
#include "symbol/file_names.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "elf_fixture.h"
#include "parse/children.h"
#include "parse/file_probes.h"
#include "parse/file_reader.h"

using namespace profile;
using namespace profile::test;

namespace {

// Real child processes: their answers pass through the wire format in both directions.
Children& children() {
  static Children all({}, false);
  return all;
}

// A file that the opener keeps open.
struct Opened {
  explicit Opened(const std::string& path) {
    std::string why;
    auto opened = children().probes().open(path, why);
    REQUIRE_MESSAGE(opened, path, ": ", why);
    file = *opened;
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() { children().probes().close(file); }
  ProbedFile file;
};

struct Namer {
  explicit Namer(const FileNameOptions& options) : names(children().reader(), strings, budget, options) {}

  FileFault name(FileNumber number, const std::vector<CodeOffset>& places) {
    for (const CodeOffset& place : places) known.answers.at(place);
    return names.resolve({.number = number, .path = "/lib/some.so", .mapped_by = {.own_mounts = true}}, known);
  }
  // "function+offset" or "?REASON+offset"; then the source positions in braces, innermost first.
  [[nodiscard]] std::string shown(const CodeOffset& place) {
    const Answer& answer = *known.answers.at(place);
    std::string text = answer.unnamed == Unnamed::named
                           ? std::string(strings.view(answer.symbol))
                           : std::string("?") + std::to_string(static_cast<int>(answer.unnamed));
    text += "+" + std::to_string(return_address(answer.offset, place.is_return));
    if (!answer.source) return text;
    for (const SourcePosition& position : *answer.source) {
      text += " {" + std::string(strings.view(position.function)) + " " + std::string(strings.view(position.file)) +
              ":" + std::to_string(position.line) + "}";
    }
    return text;
  }

  StringTable strings;
  WorkBudget budget{UINT64_MAX};
  FileAnswers known;
  FileNames names;
};

// Random offsets in the executable segments. Half of them lie close to another one.
std::vector<CodeOffset> some_places(const std::string& path, std::size_t most, std::mt19937& random) {
  const Fd fd = open_file(path);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(file, why);
  std::set<CodeOffset> places;
  for (const ElfSegment& segment : file->segments()) {
    if (segment.type != PT_LOAD || (segment.flags & PF_X) == 0) continue;
    const std::uint64_t step = std::max<std::uint64_t>(segment.file_size / most, 1);
    // Also beyond the end of the segment: the rest of its last page is mapped with it.
    for (std::uint64_t at = 0; at < segment.file_size + 64; at += 1 + random() % (2 * step)) {
      places.insert({{segment.offset + at}, random() % 2 == 0});
      // A neighbour is likely to be in a remembered range.
      places.insert({{segment.offset + at + 1 + random() % 32}, random() % 2 == 0});
    }
  }
  return {places.begin(), places.end()};
}

void check_batches(const std::string& path, const std::vector<CodeOffset>& places, bool lines, std::mt19937& random) {
  const Opened opened(path);
  const FileNumber number = opened.file.number;
  Namer at_once({.lines = lines, .ranges = false});
  at_once.name(number, places);
  std::vector<CodeOffset> order = places;
  std::shuffle(order.begin(), order.end(), random);
  Namer bit_by_bit({.lines = lines, .ranges = true});
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    end = std::min(order.size(), begin + 1 + random() % 8);
    bit_by_bit.name(
        number, {order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end)});
  }
  std::size_t named = 0;
  for (const CodeOffset& place : places) {
    const std::string expected = at_once.shown(place);
    INFO(path, " ", place.at.value, place.is_return ? " return" : " leaf");
    REQUIRE(bit_by_bit.shown(place) == expected);
    if (!expected.starts_with('?')) ++named;
  }
  CHECK(named > 0);
  CHECK(bit_by_bit.known.ranges.size() < places.size());
}

std::string library_of_c() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (const auto at = line.find('/'); at != std::string::npos && line.find("/libc.so") != std::string::npos)
      return line.substr(at);
  }
  return {};
}

// Has a part split off by the compiler, inlined functions, and calls through PLT stubs.
constexpr const char* many_kinds =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static inline int inlined(int x) { return x * x + 5; }\n"
    "__attribute__((noinline)) int cold_part(int x) { if (__builtin_expect(x == 12345, 0)) { puts(\"cold\"); "
    "abort(); } return inlined(x) + 1; }\n"
    "__attribute__((noinline)) static int copied(const char* from) { char to[64]; strncpy(to, from, 63); to[63] = 0; "
    "return atoi(to) + (int)strlen(to); }\n"
    "int main(int argc, char** argv) { int sum = 0; for (int i = 0; i < argc; ++i) sum += cold_part(i) + "
    "copied(argv[i]); return sum; }\n";

}  // namespace

TEST_CASE("names from many small batches equal those from one batch, for nested, aliased and unsized functions") {
  std::mt19937 random(1);
  std::vector<CodeOffset> places;
  const Fd fd = open_file(labels());
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE(file);
  for (const ElfSegment& segment : file->segments()) {
    if (segment.type != PT_LOAD || (segment.flags & PF_X) == 0) continue;
    for (std::uint64_t at = segment.offset; at < segment.offset + segment.file_size + 40; ++at) {
      places.push_back({{at}, false});
      places.push_back({{at}, true});
    }
  }
  for (int round = 0; round < 20; ++round) check_batches(labels(), places, false, random);
}

TEST_CASE("names from many small batches equal those from one batch, in programs of every kind") {
  std::mt19937 random(2);
  int compiled = 0;
  for (const std::string flags : {"-O2", "-O2 -g", "-O2 -s", "-O2 -static", "-O2 -no-pie -Wl,-z,noseparate-code"}) {
    const std::string path = compile("kinds.c", many_kinds, flags);
    if (path.empty()) continue;
    ++compiled;
    check_batches(path, some_places(path, flags == "-O2 -static" ? 1500 : 400, random), false, random);
  }
  CHECK(compiled >= 3);
}

TEST_CASE("names from many small batches equal those from one batch, in this program and in the C library") {
  std::mt19937 random(3);
  check_batches("/proc/self/exe", some_places("/proc/self/exe", 150, random), false, random);
  const std::string library = library_of_c();
  if (library.empty()) return;  // a static program
  check_batches(library, some_places(library, 1500, random), false, random);
}

TEST_CASE("source positions from many small batches equal those from one batch") {
  std::mt19937 random(4);
  const std::string path = compile("kinds.c", many_kinds, "-O2 -g");
  if (path.empty()) return;
  check_batches(path, some_places(path, 200, random), true, random);
}

TEST_CASE("the segment of an address gives the file offset of its code") {
  // The address of the code is no multiple of a page and differs much from its file offset.
  const std::string path =
      compile("x.s", ".globl here\nhere: .quad 0x1122334455667788\n", "-nostdlib -static -Wl,-Ttext=0x7654320");
  if (path.empty()) return;
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::size_t offset = bytes.find("\x88\x77\x66\x55\x44\x33\x22\x11");
  REQUIRE(offset != std::string::npos);
  Namer namer({});
  const Opened opened(path);
  namer.name(opened.file.number, {{.at = {offset}}});
  REQUIRE(namer.known.answers.at({.at = {offset}})->address == ElfAddress{0x7654320});
  const CodeSegment code = namer.known.segment_of({0x7654320});
  CHECK(code.start == ElfAddress{0x7654000});
  CHECK(code.limit == ElfAddress{0x7655000});
  CHECK(code.offset.value + 0x320 == offset);
  CHECK_FALSE(namer.known.segment_of({0x7655000}).is_known());
}

TEST_CASE("a new address in a known function gets its name without reading the file") {
  const Fd fd = open_file(labels());
  const auto [start, size] = known(labels()).at("__write");
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE(file);
  std::uint64_t offset = 0;
  while (file->address_of(FileOffset{offset}) != ElfAddress{start}) ++offset;
  const Opened opened(labels());
  const FileNumber number = opened.file.number;
  for (const bool is_kept : {true, false}) {
    Namer namer({.lines = false, .ranges = is_kept});
    namer.name(number, {{{offset + 1}, false}});
    REQUIRE(namer.shown({{offset + 1}, false}) == "longer_write+1");
    const std::string unread = "?" + std::to_string(static_cast<int>(Unnamed::file_gone));
    constexpr FileNumber nobodys_number{1};
    namer.name(nobodys_number, {{{offset + size - 1}, true}, {{offset}, false}, {{offset + size + 1}, false}});
    CHECK(namer.shown({{offset + size - 1}, true}) ==
          (is_kept ? "longer_write+8" : unread + "+" + std::to_string(offset + size)));
    CHECK(namer.shown({{offset}, false}) == (is_kept ? "longer_write+0" : unread + "+" + std::to_string(offset)));
    CHECK(namer.shown({{offset + size + 1}, false}).starts_with(unread));
  }
}

TEST_CASE("the byte before a function belongs to it only if a return address points to its start") {
  const Fd fd = open_file(labels());
  const std::uint64_t start = known(labels()).at("unsized").first;  // the eight bytes before it belong to no function
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE(file);
  std::uint64_t offset = 0;
  while (file->address_of(FileOffset{offset}) != ElfAddress{start}) ++offset;
  const Opened opened(labels());
  const FileNumber number = opened.file.number;
  const std::string nobodys = "?" + std::to_string(static_cast<int>(Unnamed::no_symbol));
  for (const bool is_kept : {true, false}) {
    Namer namer({.lines = false, .ranges = is_kept});
    // First the same byte as leaf and as return address in one batch, then the byte before it in a batch of its own.
    namer.name(number, {{{offset - 1}, false}, {{offset - 1}, true}});
    namer.name(number, {{{offset - 2}, true}});
    CHECK(namer.shown({{offset - 1}, true}) == "unsized+0");
    CHECK(namer.shown({{offset - 1}, false}).starts_with(nobodys));
    CHECK(namer.shown({{offset - 2}, true}).starts_with(nobodys));
    Namer leaf({.lines = false, .ranges = is_kept});
    leaf.name(number, {{{offset - 1}, false}});
    leaf.name(number, {{{offset}, false}});
    CHECK(leaf.shown({{offset - 1}, false}).starts_with(nobodys));
    CHECK(leaf.shown({{offset}, false}) == "unsized+0");
    leaf.name(number, {{{offset - 1}, true}});
    CHECK(leaf.shown({{offset - 1}, true}) == "unsized+0");
  }
}
