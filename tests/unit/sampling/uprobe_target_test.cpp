// Tests the names that users type for a probe, and the place where the probe is set.
// A wrong name of a file or a function must give a clear error.
#include "sampling/uprobe_target.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "../made_elf.h"
#include "direct_supplier.h"
#include "elf_fixture.h"
#include "parse/allocator_functions.h"
#include "parse/function_lookup.h"
#include "sampling/allocators.h"
#include "support/error.h"

using namespace profile;

namespace {

UprobeName parse(const std::string& event, const std::string& file_there = "") {
  return parse_uprobe(event, [&](const std::string& path) { return path == file_there; });
}

std::string refused(const std::string& event) {
  try {
    parse(event);
  } catch (const Error& error) {
    CHECK(error.exit_status() == Error::misused);
    return error.what();
  }
  return "";
}

NameSearch find(const std::string& path, const std::string& name) {
  const Fd fd = test::open_file(path);
  std::string why;
  const auto elf = ElfFile::read(fd.get(), why);
  REQUIRE_MESSAGE(elf, why);
  test::DirectSupplier supplier({}, fd.get(), path);
  DebugFiles none(supplier);
  return find_by_name(*elf, fd.get(), supplier.file(), none, name, 0, [](std::size_t) {});
}

// A cache of the dynamic linker with one entry (name, path) for each library.
std::string cache_of(const std::vector<std::pair<std::string, std::string>>& libraries) {
  std::string cache = "glibc-ld.so.cache1.1";
  const auto add = [&cache](std::uint32_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    cache.append(bytes, sizeof bytes);
  };
  add(static_cast<std::uint32_t>(libraries.size()));
  cache.resize(48);
  auto strings = static_cast<std::uint32_t>(48 + 24 * libraries.size());
  for (const auto& [name, path] : libraries) {
    add(0x303);
    add(strings);
    strings += static_cast<std::uint32_t>(name.size()) + 1;
    add(strings);
    strings += static_cast<std::uint32_t>(path.size()) + 1;
    cache.resize(cache.size() + 12);
  }
  for (const auto& [name, path] : libraries) {
    cache.append(name).push_back('\0');
    cache.append(path).push_back('\0');
  }
  return cache;
}

}  // namespace

TEST_CASE("the name of a probe has a file, a function and sometimes an offset") {
  CHECK(parse("uprobe:libc:malloc").file == "libc");
  CHECK(parse("uprobe:libc:malloc").symbol == "malloc");
  CHECK(parse("uprobe:libc:malloc").offset == 0);
  CHECK(parse("uprobe:/bin/x:f+0x1c").offset == 0x1c);
  CHECK(parse("uprobe:/bin/x:f+28").offset == 28);
  CHECK(parse("uprobe:/bin/x:f+0x1c").symbol == "f");
}

TEST_CASE("a plus without a number after it is part of the function's name") {
  CHECK(parse("uprobe:x:operator+").symbol == "operator+");
  CHECK(parse("uprobe:x:f+0xg").symbol == "f+0xg");
  CHECK(parse("uprobe:x:f+99999999999999999999999").offset == 0);
  CHECK(parse("uprobe:x:+4").symbol == "+4");
}

TEST_CASE("colons can be in the function's name, and in the name of an existing file") {
  CHECK(parse("uprobe:x:ns::f(int)").file == "x");
  CHECK(parse("uprobe:x:ns::f(int)").symbol == "ns::f(int)");
  CHECK(parse("uprobe:/a:b/x:f", "/a:b/x").file == "/a:b/x");
  CHECK(parse("uprobe:/a:b/x:f", "/a:b/x").symbol == "f");
  CHECK(parse("uprobe:/a:b/x:f").file == "/a");
}

TEST_CASE("a missing part is named, with the right form") {
  CHECK(refused("uprobe").find("FILE and SYMBOL are missing") != std::string::npos);
  CHECK(refused("uprobe:").find("SYMBOL is missing") != std::string::npos);
  CHECK(refused("uprobe:libc").find("SYMBOL is missing") != std::string::npos);
  CHECK(refused("uprobe:libc:").find("SYMBOL is missing") != std::string::npos);
  CHECK(refused("uprobe::malloc").find("FILE is missing") != std::string::npos);
  CHECK(refused("uprobe::malloc").find("uprobe:FILE:SYMBOL") != std::string::npos);
  CHECK(is_uprobe_name("uprobe"));
  CHECK(is_uprobe_name("uprobe:x"));
  CHECK_FALSE(is_uprobe_name("uprobes:x"));
}

TEST_CASE("a library is found by its name with and without versions, and not by a longer name") {
  CHECK(is_library_called("libc.so.6", "libc"));
  CHECK(is_library_called("libc-2.31.so", "libc"));
  CHECK(is_library_called("libc.so", "libc"));
  CHECK(is_library_called("ld-musl-x86_64.so.1", "libc"));
  CHECK(is_library_called("libc.musl-x86_64.so.1", "libc"));
  CHECK_FALSE(is_library_called("ld-musl-x86_64.so.1", "libcap"));
  CHECK(is_library_called("libstdc++.so.6.0.30", "libstdc++.so.6"));
  CHECK_FALSE(is_library_called("libcap.so.2", "libc"));
  CHECK_FALSE(is_library_called("libc-client.so.2007", "libc"));
  CHECK_FALSE(is_library_called("libstdc++.so.60", "libstdc++.so.6"));
  CHECK_FALSE(is_library_called("libc", "libc"));
  CHECK_FALSE(is_library_called("libc.so.6", ""));
}

TEST_CASE("the cache of the dynamic linker gives the paths of a library, the exact name first") {
  const std::string cache = cache_of({{"libcap.so.2", "/lib/libcap.so.2"},
                                      {"libc.so.6.1", "/alpha/libc.so.6.1"},
                                      {"libc.so.6", "/lib/libc.so.6"},
                                      {"libc.so.6", "/lib32/libc.so.6"}});
  CHECK(find_in_library_cache(cache, "libc.so.6") ==
        std::vector<std::string>{"/lib/libc.so.6", "/lib32/libc.so.6", "/alpha/libc.so.6.1"});
  CHECK(find_in_library_cache(cache, "libcap") == std::vector<std::string>{"/lib/libcap.so.2"});
  CHECK(find_in_library_cache("an older layout before it" + cache, "libcap").size() == 1);
  CHECK(find_in_library_cache(cache, "libm").empty());
}

TEST_CASE("a cache that is cut off anywhere does no harm") {
  const std::string cache = cache_of({{"libc.so.6", "/lib/libc.so.6"}, {"libm.so.6", "/lib/libm.so.6"}});
  for (std::size_t length = 0; length < cache.size(); ++length) {
    for (const std::string& path : find_in_library_cache(cache.substr(0, length), "libc")) {
      CHECK(path == "/lib/libc.so.6");
    }
  }
}

TEST_CASE("a function is found by its name at the address from nm") {
  const std::string path = test::compile("f.c",
                                         "int data = 1;\n"
                                         "__attribute__((noinline)) int f(int x) { return x + data; }\n"
                                         "__attribute__((noinline)) int other(int x) { return f(x) * 3; }\n"
                                         "int main(void) { return other(2) + f(1); }\n",
                                         "-O1");
  REQUIRE(!path.empty());
  const NameSearch found = find(path, "f");
  REQUIRE(found.places.size() == 1);
  CHECK(found.places[0].kind == FoundSymbol::Kind::function);
  CHECK(found.places[0].size_bytes != 0);
  CHECK(test::one(path, found.places[0].address.value) == "f+0");

  const NameSearch data = find(path, "data");
  REQUIRE(data.places.size() == 1);
  CHECK(data.places[0].kind == FoundSymbol::Kind::data);

  const NameSearch none = find(path, "othr");
  CHECK(none.places.empty());
  CHECK(std::find(none.names.begin(), none.names.end(), "other") != none.names.end());
}

TEST_CASE("static functions with one name are all found, and a global function hides them") {
  const std::string one = test::compile("one.s",
                                        ".text\n.type f,@function\nf: nop\n.size f,1\n"
                                        ".globl g\n.type g,@function\ng: nop\n.size g,1\n",
                                        "-c");
  const std::string two = test::compile("two.s",
                                        ".text\n.type f,@function\nf: nop\n.size f,1\n"
                                        ".type g,@function\ng: nop\n.size g,1\n.globl main\nmain: nop\n",
                                        "-c");
  if (one.empty() || two.empty()) return;
  const std::string both = test::directory().file("both");
  REQUIRE(test::run("cc -shared -o " + both + " " + one + " " + two));
  CHECK(find(both, "f").places.size() == 2);
  CHECK(find(both, "g").places.size() == 1);
}

TEST_CASE("C++ functions are found by their readable names") {
  const std::string path = test::compile("names.cpp",
                                         "namespace ns {\n"
                                         "__attribute__((noinline)) int f(int x) { asm(\"\"); return x; }\n"
                                         "__attribute__((noinline)) int g(int x) { asm(\"\"); return x; }\n"
                                         "__attribute__((noinline)) int g(long x) { asm(\"\"); return int(x); }\n"
                                         "}\n"
                                         "int main() { return ns::f(1) + ns::g(1) + ns::g(1L); }\n",
                                         "-x c++ -O1");
  if (path.empty()) return;
  CHECK(find(path, "_ZN2ns1fEi").places.size() == 1);
  CHECK(find(path, "ns::f(int)").places.size() == 1);
  CHECK(find(path, "ns::f").places.size() == 1);
  CHECK(find(path, "ns::g(long)").places.size() == 1);
  CHECK(find(path, "ns::g").places.size() == 2);
  CHECK(find(path, "ns::h").places.empty());
}

TEST_CASE("the C library of this system is an allocator, and each of its places is named once") {
  CHECK(is_allocator_library("libc.so.6"));
  CHECK(is_allocator_library("ld-musl-x86_64.so.1"));
  CHECK(is_allocator_library("libjemalloc.so.2"));
  CHECK_FALSE(is_allocator_library("libcap.so.2"));
  for (const std::string& path : library_paths("libc.so.6")) {
    const Fd fd = test::open_file(path);
    std::string why;
    const auto elf = ElfFile::read(fd.get(), why);
    REQUIRE_MESSAGE(elf, path, why);
    const auto functions = allocator_functions(*elf);
    CHECK(functions.size() >= 6);
    for (const AllocatorFunction& function : functions) {
      const auto same = [&](const AllocatorFunction& other) { return other.offset == function.offset; };
      CHECK(std::count_if(functions.begin(), functions.end(), same) == 1);
      const auto address = elf->address_of(function.offset);
      REQUIRE(address);
      CHECK(elf->offset_of(*address) == function.offset);
    }
  }
}

TEST_CASE("a program without its own malloc is no allocator") {
  const std::string path = test::compile("plain.c", "#include <stdlib.h>\nint main(void) { return !malloc(1); }\n", "");
  REQUIRE(!path.empty());
  const Fd fd = test::open_file(path);
  std::string why;
  CHECK(allocator_functions(*ElfFile::read(fd.get(), why)).empty());
}

TEST_CASE("a library with more allocator functions than there can be is no allocator") {
  const auto found = [](unsigned count) {
    std::vector<Elf64_Sym> table(1);
    for (unsigned i = 0; i < count; ++i) {
      Elf64_Sym symbol{};
      symbol.st_name = 1;
      symbol.st_info = STB_GLOBAL << 4 | STT_FUNC;
      symbol.st_shndx = 1;
      symbol.st_value = 0x1000 + i;
      table.push_back(symbol);
    }
    const std::string content(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Elf64_Sym));
    const std::string code(count, 'x');
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_offset = sizeof(Elf64_Ehdr);
    segment.p_vaddr = 0x1000;
    segment.p_filesz = segment.p_memsz = count;
    const std::string file = test::made_elf(
        {{.name = ".text", .content = code, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000},
         {.name = ".dynsym", .content = content, .type = SHT_DYNSYM, .link = 3, .entry_bytes = sizeof(Elf64_Sym)},
         {.name = ".dynstr", .content = std::string("\0malloc", 8), .type = SHT_STRTAB}},
        EM_X86_64, {segment});
    const Fd fd = test::in_memory(file);
    std::string why;
    const auto elf = ElfFile::read(fd.get(), why);
    REQUIRE_MESSAGE(elf, why);
    return allocator_functions(*elf).size();
  };
  CHECK(found(most_allocator_functions) == most_allocator_functions);
  CHECK(found(most_allocator_functions + 1) == 0);
}

namespace {

// A file with so many places of one name.
class ManyPlaces final : public FileProbes {
 public:
  explicit ManyPlaces(std::size_t places) : places_(places) {}
  std::optional<ProbedFile> open(const std::string&, std::string&) override { return std::nullopt; }
  std::optional<ProbedFile> open_mapped(const FileIdentity&, const std::string&, const MappedBy&,
                                        std::string&) override {
    return std::nullopt;
  }
  void close(const ProbedFile&) override {}
  NameSearch search(const ProbedFile&, std::string_view, std::uint64_t) override {
    NameSearch search;
    search.places.resize(places_);
    return search;
  }
  std::vector<AllocatorFunction> allocator_functions(const ProbedFile&) override { return {}; }
  Fd probe(const ProbedFile&, const UserProbe&, int&) override { return {}; }
  Fd link(const ProbedFile&, const ProbeGroup&, const Fd&, int&) override { return {}; }

 private:
  std::size_t places_;
};

constexpr std::uint64_t some_user = 1000;

// Its functions are malloc and free, unless others are given.
Allocator allocator_of(std::uint64_t owner, const std::string& path, std::size_t others = 0) {
  Allocator allocator{.file = {.path = path, .owner = owner}, .functions = {}};
  allocator.functions.push_back({.call = AllocatorCall::bytes, .offset = {}});
  allocator.functions.push_back({.call = AllocatorCall::free, .offset = {}});
  allocator.functions.resize(2 + others);
  return allocator;
}

}  // namespace

TEST_CASE("a name of too many places cannot be probed") {
  ManyPlaces few(1000);
  CHECK(functions_called(few, {.file = "f", .symbol = "s"}, {}, "-e").size() == 1000);
  ManyPlaces many(100'000);
  CHECK_THROWS_AS(functions_called(many, {.file = "f", .symbol = "s"}, {}, "-e"), Error);
}

TEST_CASE("the probes of free() are attached first, in all files") {
  const std::vector<Allocator> allocators{allocator_of(0, "a"), allocator_of(some_user, "b")};
  std::string order;
  const auto attach = [&order](const ProbedFile& file, std::span<const AllocatorFunction> functions) {
    for (const AllocatorFunction& function : functions) {
      order += file.path + (function.call == AllocatorCall::free ? "-" : "+");
    }
  };
  CHECK(attach_allocators(allocators, attach).empty());
  CHECK(order == "a-b-a+b+");
}

TEST_CASE("a user's library that cannot be probed is left out, and the system's fails the run") {
  const auto attach = [](const ProbedFile& file, std::span<const AllocatorFunction>) {
    if (file.path == "bad") throw Error("cannot be probed");
  };
  const std::vector<Allocator> users{allocator_of(some_user, "bad"), allocator_of(some_user, "good")};
  CHECK(attach_allocators(users, attach) == std::vector<std::string>{"bad"});
  const std::vector<Allocator> roots{allocator_of(0, "bad"), allocator_of(some_user, "good")};
  CHECK_THROWS_AS(static_cast<void>(attach_allocators(roots, attach)), Error);
  const std::vector<Allocator> alone{allocator_of(some_user, "bad")};
  CHECK_THROWS_AS(static_cast<void>(attach_allocators(alone, attach)), Error);
}

TEST_CASE("a user whose libraries cannot be probed, or have many functions, leaves probes for others") {
  std::vector<Allocator> allocators;
  for (int i = 0; i < 1000; ++i) allocators.push_back(allocator_of(some_user, "many", 50));
  for (int i = 0; i < 1000; ++i) allocators.push_back(allocator_of(some_user + 1, "bad"));
  allocators.push_back(allocator_of(some_user + 2, "other"));
  allocators.push_back(allocator_of(0, "system"));
  std::map<std::string, int> attached;
  std::size_t tries = 0;
  const auto attach = [&](const ProbedFile& file, std::span<const AllocatorFunction> functions) {
    ++tries;
    if (file.path == "bad") throw Error("cannot be probed");
    attached[file.path] += static_cast<int>(functions.size());
  };
  CHECK(attach_allocators(allocators, attach).size() > 1900);
  CHECK(attached["other"] == 2);
  CHECK(attached["system"] == 2);
  CHECK(tries < 5000);
}

TEST_CASE("a search in a table whose symbols all have the wanted name is given up") {
  std::vector<Elf64_Sym> table(1);
  const auto found = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      Elf64_Sym symbol{};
      symbol.st_name = 1;
      symbol.st_info = STB_LOCAL << 4 | STT_FUNC;
      symbol.st_shndx = 1;
      symbol.st_value = 0x1000 + i;
      table.push_back(symbol);
    }
    const std::string content(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Elf64_Sym));
    const std::string file =
        test::made_elf({{.name = ".text", .content = "x", .flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000},
                        {.name = ".symtab", .content = content, .type = SHT_SYMTAB, .link = 3, .entry_bytes = 24},
                        {.name = ".strtab", .content = std::string("\0f", 3), .type = SHT_STRTAB}});
    const Fd fd = test::in_memory(file);
    std::string why;
    const auto elf = ElfFile::read(fd.get(), why);
    REQUIRE_MESSAGE(elf, why);
    test::DirectSupplier supplier({}, fd.get(), "made");
    DebugFiles none(supplier);
    return find_by_name(*elf, fd.get(), supplier.file(), none, "f", 0, [](std::size_t) {});
  };
  CHECK(found(1000).places.size() == 1000);
  const NameSearch all = found(600'000);
  CHECK(all.places.empty());
  CHECK(all.was_given_up);
}
