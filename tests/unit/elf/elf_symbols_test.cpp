// Tests names from ELF files that the test compiles, so the right names are known.
// They come from the source, from nm and from the dynamic linker.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "elf/data_symbols.h"
#include "elf/symbol.h"
#include "elf/symbol_index.h"
#include "elf/symbol_table.h"
#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

constexpr const char* program =
    "__attribute__((noinline)) static int hidden(int x) { return x * 3 + 1; }\n"
    "__attribute__((noinline)) int shown(int x) { return hidden(x) + hidden(x + 2); }\n"
    "int main(int argc, char** argv) { (void)argv; return shown(argc); }\n";

}  // namespace

TEST_CASE("every byte of a program's functions has the name from nm, for every linker") {
  int linked = 0;
  for (const std::string flags :
       {"-O1 -pie -fPIE", "-O1 -no-pie -fno-pie", "-O1 -static", "-O1 -pie -Wl,-z,noseparate-code",
        "-O1 -no-pie -Wl,-Ttext-segment=0x10000000", "-O1 -fuse-ld=gold", "-O1 -fuse-ld=lld"}) {
    const std::string path = compile("program.c", program, flags);
    if (path.empty()) continue;
    ++linked;
    const auto symbols = known(path);
    for (const std::string name : {"main", "shown", "hidden"}) {
      const auto [start, size] = symbols.at(name);
      REQUIRE(size > 0);
      CHECK(one(path, start) == name + "+0");
      CHECK(one(path, start + size - 1) == name + "+" + std::to_string(size - 1));
    }
  }
  CHECK(linked >= 3);
}

TEST_CASE("what follows an @ belongs to the name, unless it is a version of the file") {
  const std::string program_path =
      compile("at.c",
              "int BoxXTXfirst(int x) { return x + 1; }\nint BoxXTXother(int x) { return x + 2; }\n"
              "int main(int argc, char** argv) { (void)argv; return BoxXTXfirst(argc) + BoxXTXother(argc); }\n",
              "-O1 -fno-inline");
  REQUIRE_FALSE(program_path.empty());
  std::ifstream in(program_path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (auto at = bytes.find("BoxXTX"); at != std::string::npos; at = bytes.find("BoxXTX"))
    bytes.replace(at, 6, "Box@T#");
  std::ofstream(program_path, std::ios::binary) << bytes;
  for (const std::string name : {"Box@T#first", "Box@T#other"}) {
    CHECK(one(program_path, known(program_path).at(name).first) == name + "+0");
  }

  const std::string script = directory().file("versions.map");
  std::ofstream(script) << "V1 { global: f; local: *; };\nV2 { global: f; } V1;\n";
  const std::string library = compile("versions.c",
                                      "__asm__(\".symver old_f, f@V1\\n.symver new_f, f@@V2\");\n"
                                      "int old_f(int x) { return x + 1; }\nint new_f(int x) { return x + 2; }\n",
                                      "-O1 -shared -fPIC -Wl,--version-script=" + script);
  REQUIRE_FALSE(library.empty());
  for (const char* const name : {"old_f", "new_f"}) CHECK(one(library, known(library).at(name).first) == "f+0");
}

TEST_CASE("a program with more sections than the field of a symbol can tell apart is read") {
  std::ostringstream source;
  for (int i = 0; i < 66'000; ++i) {
    source << ".section .text.f" << i << ",\"ax\",@progbits\n.type f" << i << ",@function\nf" << i << ": ret\n.size f"
           << i << ",.-f" << i << "\n";
  }
  source << ".section .note.GNU-stack,\"\",@progbits\n";
  const std::string path = compile("many.s", source.str(), "-shared -Wl,--unique='.text.f*'");
  if (path.empty()) return;  // not every architecture has this instruction
  const auto symbols = known(path);
  for (const std::string name : {"f0", "f16999", "f65999"}) CHECK(one(path, symbols.at(name).first) == name + "+0");
}

TEST_CASE("a function of a loaded library is found from its mapping") {
  for (const std::string flags : {"", " -Wl,-z,noseparate-code", " -fuse-ld=gold", " -fuse-ld=lld"}) {
    const std::string path =
        compile("library.c", "int exported_here(int x) { return x + 1; }\n", "-O1 -shared -fPIC" + flags);
    if (path.empty()) continue;
    void* const library = ::dlopen(path.c_str(), RTLD_NOW);
    REQUIRE(library != nullptr);
    const auto address = reinterpret_cast<std::uint64_t>(::dlsym(library, "exported_here"));
    std::ifstream maps("/proc/self/maps");
    std::string line;
    std::optional<FileOffset> offset;
    while (std::getline(maps, line)) {
      unsigned long begin = 0, end = 0, file = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &begin, &end, &file) != 3) continue;
      if (address >= begin && address < end) offset = FileOffset{address - begin + file};
    }
    REQUIRE(offset);
    const Fd fd = open_file(path);
    std::string why;
    const auto file = ElfFile::read(fd.get(), why);
    REQUIRE(file);
    const auto elf = file->address_of(*offset);
    REQUIRE(elf);
    CHECK(one(path, elf->value) == "exported_here+0");
    ::dlclose(library);
  }
}

TEST_CASE("a file without .symtab names only its exported functions, and no other code gets such a name") {
  const std::string path = compile("stripped.c", program, "-O1 -shared -fPIC");
  REQUIRE(!path.empty());
  const auto symbols = known(path);
  REQUIRE(run("strip " + path));
  CHECK(one(path, symbols.at("shown").first + 1) == "shown+1");
  CHECK(one(path, symbols.at("hidden").first) == "?");
  CHECK(resolve(path, {symbols.at("hidden").first})[0].unnamed == Unnamed::no_symbol);
}

TEST_CASE("an exported label without a size covers only its own address") {
  const std::string path =
      compile("unsized.s", ".text\n.globl f\n.type f, %function\nf: .skip 16\n", "-shared -nostdlib");
  REQUIRE(!path.empty());
  const auto start = known(path).at("f").first;
  CHECK(one(path, start + 8) == "f+8");
  REQUIRE(run("strip " + path));
  CHECK(one(path, start) == "f+0");
  CHECK(one(path, start + 1) == "?");
}

TEST_CASE("nested, unsized and untyped symbols each cover the right addresses") {
  const std::string path = labels();
  const auto base = known(path).at("outer").first;
  CHECK(one(path, base - 1) == "?");
  CHECK(one(path, base) == "outer+0");
  CHECK(one(path, base + 15) == "outer+15");
  CHECK(one(path, base + 16) == "inner+0");
  CHECK(one(path, base + 23) == "inner+7");
  CHECK(one(path, base + 24) == "outer+24");
  CHECK(one(path, base + 31) == "outer+31");
  CHECK(one(path, base + 32) == "?");
  CHECK(one(path, base + 40) == "unsized+0");
  CHECK(one(path, base + 47) == "unsized+7");
  CHECK(one(path, base + 56) == "plain_label+0");
  CHECK(one(path, base + 63) == "plain_label+7");
  CHECK(one(path, base + 64) == "last+0");
  CHECK(one(path, base + 68) == "?");  // the function ends the range of the label
  CHECK(one(path, base + 80) == "sized_twin+0");
  CHECK(one(path, base + 87) == "sized_twin+7");
  CHECK(one(path, base + 96) == "tail+0");
  CHECK(one(path, base + 103) == "tail+7");
  CHECK(one(path, base + 104) == "?");  // the end of the section
  CHECK(one(path, known(path).at("data").first) == "?");
}

TEST_CASE("a function with aliases gets the name that is global, plain and short") {
  const std::string path = labels();
  // `write` is weak, so the global names `__write`, `__GI_write` and `longer_write` are preferred. Of these,
  // `longer_write` is the only plain name.
  CHECK(one(path, known(path).at("write").first) == "longer_write+0");
  CHECK(better_alias("write", "__write"));
  CHECK(better_alias("__write", "__GI_write"));
  CHECK(better_alias("open", "open64"));
  CHECK(better_alias("abc", "abd"));
  CHECK_FALSE(better_alias("abc", "abc"));
}

TEST_CASE("a batch gives each address the same answer as the address alone, and keeps given answers") {
  const std::string path = labels();
  const auto base = known(path).at("outer").first;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < 120; ++i) addresses.push_back(base + i);
  const auto symbols = resolve(path, addresses);
  for (std::uint64_t i = 0; i < 120; ++i) {
    const std::string answer = symbols[i].unnamed == Unnamed::named
                                   ? symbols[i].name + "+" + std::to_string(base + i - symbols[i].start)
                                   : "?";
    CHECK(answer == one(path, base + i));
  }
  const Fd fd = open_file(path);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  const std::vector<ElfAddress> two = {{base}, {base + 64}};
  std::vector<Symbol> answers = {{"mine", 1, Unnamed::named}, {}};
  resolve_symbols(*file, two, answers);
  CHECK(answers[0].name == "mine");
  CHECK(answers[1].name == "last");
}

TEST_CASE("the innermost symbol is the same as in a search of every symbol for every address") {
  std::uint32_t random = 1;
  const auto below = [&random](std::uint32_t limit) {
    random = random * 1664525 + 1013904223;
    return (random >> 8) % limit;
  };
  struct Added {
    std::uint64_t start, size, limit;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = below(5); addresses.size() < 1 + below(40); at += 1 + below(9)) addresses.push_back(at);
    std::vector<Added> added;
    SymbolIndex cover(addresses);
    for (std::uint32_t i = below(60); i > 0; --i) {
      const Added symbol{below(250), below(3) == 0 ? 0 : 1 + below(80), 0};
      added.push_back(symbol);
      if (symbol.size > 0) {
        cover.add_sized(symbol.start, symbol.size);
      } else {
        added.back().limit = symbol.start + below(60);
        cover.add_unsized(symbol.start, added.back().limit);
      }
    }
    const auto best_for = [&added](std::uint64_t address) {
      std::optional<SymbolRange> best;
      std::uint64_t nearest = 0;
      for (const Added& symbol : added) {
        if (symbol.start <= address) nearest = std::max(nearest, symbol.start);
      }
      for (const Added& symbol : added) {
        if (symbol.start > address) continue;
        const bool covers =
            symbol.size > 0 ? address - symbol.start < symbol.size : symbol.start == nearest && address < symbol.limit;
        const auto smaller = [](std::uint64_t a, std::uint64_t b) { return a - 1 < b - 1; };  // 0 is the largest
        if (!covers) continue;
        if (!best || symbol.start > best->start || (symbol.start == best->start && smaller(symbol.size, best->size))) {
          best = SymbolRange{symbol.start, symbol.size};
        }
      }
      return best;
    };
    const auto answers = cover.answers();
    const auto reaches = cover.valid_ranges();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const std::uint64_t address = addresses[i];
      REQUIRE(answers[i] == best_for(address));
      const std::uint64_t last = std::min<std::uint64_t>(reaches[i].after, 500) + address;
      for (std::uint64_t at = address - std::min(reaches[i].before, address); at <= last; ++at)
        REQUIRE(best_for(at) == answers[i]);
      // The range is as large as possible: a symbol begins or ends where the range ends.
      const auto is_point = [&added](std::uint64_t point) {
        return std::ranges::any_of(added, [point](const Added& symbol) {
          return point == symbol.start ||
                 (symbol.size > 0 ? point == symbol.start + symbol.size : point == symbol.limit);
        });
      };
      REQUIRE((reaches[i].before >= address || is_point(address - reaches[i].before)));
      REQUIRE((reaches[i].after > 500 || is_point(address + reaches[i].after + 1)));
    }
  }
}

TEST_CASE("a build-id is read, and a missing build-id is reported") {
  const std::string with = compile("id.c", program, "-Wl,--build-id=0x0123456789abcdef00ff");
  const std::string without = compile("id.c", program, "-Wl,--build-id=none");
  REQUIRE((!with.empty() && !without.empty()));
  std::string why;
  const Fd fd = open_file(with);
  CHECK(ElfFile::read(fd.get(), why)->build_id() == "0123456789abcdef00ff");
  const Fd other = open_file(without);
  CHECK(ElfFile::read(other.get(), why)->build_id().empty());
  // Go's is of four hashes, the last of which is of the content.
  const std::string go_note = std::string(program) +
                              R"(__asm__(".section .note.go.buildid,\"a\",@note\n.long 4, 11, 4\n.ascii \"Go\\0\\0\"\n"
                                 ".ascii \"aa/bb/cc/dd\"\n.byte 0\n.previous");)";
  const Fd of_go = open_file(compile("go_id.c", go_note, "-Wl,--build-id=none"));
  CHECK(ElfFile::read(of_go.get(), why)->build_id() == "6464");
  CHECK(ElfFile::read(fd.get(), why)->section(".text") != nullptr);
  CHECK(ElfFile::read(fd.get(), why)->section(".tex") == nullptr);
  CHECK(ElfFile::read(fd.get(), why)->section(".text2") == nullptr);
}

TEST_CASE("a place in data has the name of the smallest variable that holds it") {
  const std::string path = compile("data.c", R"(
struct { long before[4]; long lock[5]; } pool;
static long quiet __attribute__((used));
extern long other_name __attribute__((alias("first")));
long first = 1;
int main(void) { return (int)(pool.lock[0] + quiet); }
)",
                                   "-O0");
  REQUIRE(!path.empty());
  const Fd fd = open_file(path);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(file, why);
  std::map<std::string, std::uint64_t, std::less<>> starts;
  visit_names(
      *file, SHT_SYMTAB, [](const ElfTableSymbol& symbol) { return symbol.type == STT_OBJECT; },
      [&](std::string_view name, const ElfTableSymbol& symbol) { starts.emplace(name, symbol.start); });
  REQUIRE((starts.contains("pool") && starts.contains("quiet") && starts.contains("first")));
  std::vector<ElfAddress> addresses{ElfAddress{8},
                                    ElfAddress{starts["pool"]},
                                    ElfAddress{starts["pool"] + 32},
                                    ElfAddress{starts["pool"] + 71},
                                    ElfAddress{starts["quiet"] + 4},
                                    ElfAddress{starts["first"]}};
  std::ranges::sort(addresses);
  std::vector<Symbol> answers(addresses.size());
  resolve_data(*file, addresses, answers);
  std::map<std::uint64_t, std::string> names;
  for (std::size_t i = 0; i < addresses.size(); ++i) names[addresses[i].value] = answers[i].name;
  CHECK(names[8].empty());
  CHECK(names[starts["pool"]] == "pool");
  CHECK(names[starts["pool"] + 32] == "pool");
  CHECK(names[starts["pool"] + 71] == "pool");
  CHECK(names[starts["quiet"] + 4] == "quiet");
  CHECK(names[starts["first"]] == "first");  // the shorter of two
}
