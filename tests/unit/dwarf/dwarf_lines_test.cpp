// Compares source positions with known positions (labels in the code), with addr2line and with llvm-symbolizer.
// The tests use each byte of a function and each form of debug information that the compilers and tools of this machine
// write.
#include "dwarf/lines.h"

#include <doctest/doctest.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

// Pairs of function and file:line, innermost first; "??" and "??:?" if unknown.
using Chain = std::vector<std::pair<std::string, std::string>>;

std::string location(std::string_view file, std::uint32_t line) {
  return (file.empty() ? "??" : std::string(file)) + ":" + (line == 0 ? "?" : std::to_string(line));
}

std::vector<Chain> ours(const std::string& path, const std::vector<std::uint64_t>& addresses,
                        const std::string& other = "") {
  const Fd fd = open_file(path);
  Fd other_fd;
  if (!other.empty()) other_fd = open_file(other);
  std::vector<ElfAddress> wanted;
  for (const std::uint64_t address : addresses) wanted.push_back({address});
  const SourceChains chains = read_source_lines(fd.get(), other_fd.get(), wanted);
  CHECK_MESSAGE(chains.why().empty(), chains.why());
  std::vector<Chain> found(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (const SourcePosition& position : chains.chain(i)) {
      const std::string_view function = chains.strings().view(position.function);
      found[i].emplace_back(function.empty() ? "??" : function,
                            location(chains.strings().view(position.file), position.line));
    }
  }
  return found;
}

// The answer of a tool in addr2line's form: one line with the address, then pairs of lines.
std::vector<Chain> theirs(const std::string& tool, const std::string& path,
                          const std::vector<std::uint64_t>& addresses) {
  const std::string asked = directory().file("asked");
  const std::string answered = directory().file("answered");
  {
    std::ofstream out(asked);
    out << std::hex;
    for (const std::uint64_t address : addresses) out << "0x" << address << '\n';
  }
  REQUIRE(run(tool + " -a -i -f -e " + path + " <" + asked + " >" + answered));
  std::ifstream in(answered);
  std::vector<Chain> found;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("0x")) {
      found.emplace_back();
      continue;
    }
    std::string at;
    REQUIRE(std::getline(in, at));
    REQUIRE(!found.empty());
    if (const std::size_t remark = at.find(" ("); remark != std::string::npos) at.resize(remark);
    if (at.ends_with(":0")) at.back() = '?';
    found.back().emplace_back(line, at);
  }
  REQUIRE(found.size() == addresses.size());
  return found;
}

// Files and lines must be the same. Names must be the same except the innermost and the outermost, which a tool may
// take from the symbol table.
std::size_t check_agreement(const std::vector<Chain>& mine, const std::vector<Chain>& other) {
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    REQUIRE(mine[i].size() == other[i].size());
    for (std::size_t k = 0; k < mine[i].size(); ++k) {
      CHECK(mine[i][k].second == other[i][k].second);
      const bool may_be_symbol = k == 0 || k + 1 == mine[i].size();
      if (!may_be_symbol) CHECK(mine[i][k].first == other[i][k].first);
      CHECK(mine[i][k].first != "??");
    }
    deepest = std::max(deepest, mine[i].size());
  }
  return deepest;
}

// The tests depend on the line numbers of this text.
constexpr const char* nested = R"(#ifndef MARK
#define MARK ".globl in_get\nin_get: nop"
#endif
extern "C" __attribute__((noinline)) int sink(int a) { __asm__ volatile("" : : : "memory"); return a; }
template <class T> struct Box {
  T value;
  __attribute__((always_inline)) int get(int a) const {
    __asm__ volatile(MARK);
    return value + a;
  }
};
namespace part {
__attribute__((always_inline)) static inline int deep(int a) {
  Box<int> box{a};
  return box.get(sink(a));
}
__attribute__((always_inline)) static inline int middle(int a) {
  if (a > 3) a = sink(a * 2);
  return deep(a) +
         sink(a + 1);
}
}
__attribute__((noinline)) int outer(int a) {
  int sum = sink(a);
  for (int i = 0; i < a; ++i)
    sum += part::middle(i);
  return sum;
}
int main(int count, char**) { return outer(count); }
)";

std::string compile_nested(const std::string& flags) { return compile("nested.cpp", nested, flags); }

std::vector<std::uint64_t> bytes_of_function(const std::string& path, const std::string& symbol) {
  const auto symbols = known(path);
  const auto found = symbols.find(symbol);
  REQUIRE(found != symbols.end());
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < found->second.second; ++i) addresses.push_back(found->second.first + i);
  return addresses;
}

void check_in_get(const std::string& path, const std::string& code, const std::string& other = "") {
  const std::string source = code.substr(0, code.size() - std::string(".out").size());
  const auto chain = ours(path, {known(code).at("in_get").first}, other)[0];
  REQUIRE(chain.size() == 4);
  CHECK(chain[0].first == "_ZNK3BoxIiE3getEi");
  CHECK((chain[1].first == "_ZN4partL4deepEi" || chain[1].first == "deep"));
  CHECK((chain[2].first == "_ZN4partL6middleEi" || chain[2].first == "middle"));
  CHECK(chain[3].first == "_Z5outeri");
  const std::vector<std::string> lines{":8", ":15", ":19", ":26"};
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(chain[i].second == source + lines[i]);
}

bool has(const std::string& command) { return run("command -v " + command + " >/dev/null"); }

}  // namespace

TEST_CASE("an address in three nested inlined functions has four positions, innermost first") {
  for (const std::string flags :
       {"-O2 -gdwarf-5", "-O2 -gdwarf-4", "-O1 -gdwarf-3 -gstrict-dwarf",
        "-O2 -g -ffunction-sections -Wl,--gc-sections", "-O2 -g -static", "-O2 -g -gz=zlib-gnu"}) {
    CAPTURE(flags);
    const std::string path = compile_nested(flags);
    REQUIRE(!path.empty());
    check_in_get(path, path);
  }
}

TEST_CASE("chains agree with addr2line for every byte of a function") {
  if (!has("addr2line")) return;
  for (const std::string flags : {"-O2 -gdwarf-5", "-O2 -gdwarf-4", "-Og -g", "-O2 -gdwarf-4 -flto",
                                  "-O2 -g -fno-omit-frame-pointer", "-O2 -g -gz=zlib"}) {
    CAPTURE(flags);
    const std::string path = compile_nested(flags);
    REQUIRE(!path.empty());
    const auto addresses = bytes_of_function(path, "_Z5outeri");
    CHECK(check_agreement(ours(path, addresses), theirs("addr2line", path, addresses)) == 4);
  }
}

TEST_CASE("chains agree with llvm-symbolizer for code that clang compiled") {
  if (!has("clang++") || !has("llvm-symbolizer")) return;
  for (const std::string flags : {"-O2 -gdwarf-5", "-O2 -gdwarf-4", "-O1 -g -fdebug-types-section"}) {
    CAPTURE(flags);
    const std::string source = directory().file("clang.cpp");
    const std::string path = source + ".out";
    std::ofstream(source) << nested;
    // clang++ unrolls the loop, and a label may be defined only once.
    REQUIRE(run("clang++ -DMARK='\"nop\"' " + flags + " -o " + path + " " + source));
    const auto addresses = bytes_of_function(path, "_Z5outeri");
    const std::string tool = "llvm-symbolizer --output-style=GNU --no-demangle";
    CHECK(check_agreement(ours(path, addresses), theirs(tool, path, addresses)) == 4);
  }
}

TEST_CASE("chains agree with llvm-symbolizer for a linked program that addr2line reads wrong") {
  if (!has("llvm-symbolizer")) return;
  const std::string path = compile_nested("-O2 -gdwarf-5 -flto");
  const auto addresses = bytes_of_function(path, "_Z5outeri");
  const std::string tool = "llvm-symbolizer --output-style=GNU --no-demangle";
  CHECK(check_agreement(ours(path, addresses), theirs(tool, path, addresses)) == 4);
}

TEST_CASE("a separate debug file gives the source lines of the stripped program") {
  const std::string path = compile_nested("-O2 -g");
  REQUIRE(run("objcopy --only-keep-debug " + path + " " + path + ".debug && strip -o " + path + ".stripped " + path));
  check_in_get(path + ".debug", path);
  const Fd fd = open_file(path + ".stripped");
  const std::vector<ElfAddress> addresses{{known(path).at("in_get").first}};
  const SourceChains chains = read_source_lines(fd.get(), -1, addresses);
  CHECK(chains.chain(0).empty());
  CHECK(chains.why() == "has no debug information");
}

TEST_CASE("names that dwz moved into a common file are found there") {
  if (!has("dwz")) return;
  for (const std::string flags : {"-gdwarf-4", "-gdwarf-5"}) {
    CAPTURE(flags);
    const std::string path = compile_nested("-O2 " + flags);
    const std::string dwz = flags == "-gdwarf-5" ? "dwz --dwarf-5 " : "dwz ";
    REQUIRE(run("cp " + path + " " + path + ".1 && cp " + path + " " + path + ".2"));
    REQUIRE(run(dwz + "-m " + path + ".common " + path + ".1 " + path + ".2"));
    const auto addresses = bytes_of_function(path, "_Z5outeri");
    CHECK(ours(path + ".1", addresses, path + ".common") == ours(path, addresses));
    check_in_get(path + ".1", path, path + ".common");
    // Without the common file the lines are still known.
    const auto alone = ours(path + ".1", {known(path).at("in_get").first})[0];
    REQUIRE(alone.size() == 4);
    CHECK(alone[0].second.ends_with(":8"));
  }
}

TEST_CASE("sections with zstd compression are read") {
  const std::string path = compile_nested("-O2 -g");
  if (!run("objcopy --compress-debug-sections=zstd " + path + " " + path + ".zstd")) return;  // needs binutils 2.40
  check_in_get(path + ".zstd", path);
}

TEST_CASE("the order and repetition of addresses change nothing, and an address outside of code has no chain") {
  const std::string path = compile_nested("-O2 -g");
  const auto addresses = bytes_of_function(path, "_Z5outeri");
  const auto straight = ours(path, addresses);
  const std::vector<std::uint64_t> mixed{addresses[7], 0, addresses[3], addresses[7], UINT64_MAX, addresses[0]};
  const auto found = ours(path, mixed);
  CHECK(found[0] == straight[7]);
  CHECK(found[1].empty());
  CHECK(found[2] == straight[3]);
  CHECK(found[3] == straight[7]);
  CHECK(found[4].empty());
  CHECK(found[5] == straight[0]);
  CHECK(ours(path, {}).empty());
}

TEST_CASE("a return address has the line of the call, not the line after the call") {
  const std::string path = compile("calls.c", R"(
__attribute__((noinline, noreturn)) void leave(void) { for (;;) __asm__ volatile(""); }
__attribute__((noinline)) int here(void) { leave(); }
__attribute__((noinline)) int next(void) { __asm__ volatile(""); return 1; }
int main(int count, char** words) { return count > 1 ? here() : next() + (words != 0); }
)",
                                   "-O2 -g -fno-reorder-functions -fno-toplevel-reorder -falign-functions=1");
  REQUIRE(!path.empty());
  const auto symbols = known(path);
  const auto [begin, size] = symbols.at("here");
  REQUIRE(begin + size == symbols.at("next").first);
  const auto found = ours(path, {begin + size - 1, begin + size});
  REQUIRE(found[0].size() == 1);
  REQUIRE(found[1].size() == 1);
  CHECK(found[0][0].first == "here");
  CHECK(found[0][0].second.ends_with(":3"));
  CHECK(found[1][0].first == "next");
  CHECK(found[1][0].second.ends_with(":4"));
}

TEST_CASE("a file that is no ELF file is reported as such") {
  const std::string path = directory().file("text");
  std::ofstream(path) << "no program";
  const Fd fd = open_file(path);
  const std::vector<ElfAddress> addresses{{1}, {2}};
  const SourceChains chains = read_source_lines(fd.get(), -1, addresses);
  CHECK(chains.why() == "is not an ELF file of this machine's kind");
  CHECK(chains.chain(1).empty());
}
