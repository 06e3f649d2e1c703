// Tests kernel names: from texts in the kernel's format, and once from the kernel of this machine.
#include "symbol/kallsyms.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "support/fd.h"

using namespace profile;

namespace {

std::vector<KernelSymbol> resolve(std::string_view text, const std::vector<std::uint64_t>& values) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(text.data(), 1, text.size(), file) == text.size());
  std::rewind(file);
  std::vector<RuntimeAddress> addresses;
  for (const std::uint64_t value : values) addresses.push_back({value});
  auto symbols = resolve_kernel(::fileno(file), addresses);
  std::fclose(file);
  REQUIRE(symbols.size() == values.size());
  return symbols;
}

// "name+offset [module]" or "?".
std::string shown(const KernelSymbol& symbol, std::uint64_t address) {
  if (symbol.unnamed != Unnamed::named) return "?";
  return symbol.name + "+" + std::to_string(address - symbol.start) + " [" + symbol.module + "]";
}

std::string one(std::string_view text, std::uint64_t address) { return shown(resolve(text, {address})[0], address); }

constexpr std::string_view kernel =
    "ffffffff81000000 T _text\n"
    "ffffffff81000000 t early\n"
    "ffffffff81000100 T vfs_read\n"
    "ffffffff81000200 W weak_one\n"
    "ffffffff81000300 t last_one\n"
    "ffffffff81000400 T _etext\n"
    "ffffffff82000000 D some_data\n"
    "ffffffffc0002000 t nf_late\t[nf_tables]\n"
    "ffffffffc0001000 t nf_early\t[nf_tables]\n"
    "ffffffffc0003000 d nf_data\t[nf_tables]\n"
    "ffffffffc0000500 t bpf_prog_6deef7357e7b4530_f\t[bpf]\n";

}  // namespace

TEST_CASE("a kernel address gets the name of the nearest function at or below it") {
  CHECK(one(kernel, 0xffffffff81000100) == "vfs_read+0 [kernel]");
  CHECK(one(kernel, 0xffffffff810001ff) == "vfs_read+255 [kernel]");
  CHECK(one(kernel, 0xffffffff81000210) == "weak_one+16 [kernel]");
  CHECK(one(kernel, 0xffffffff810003ff) == "last_one+255 [kernel]");
}

TEST_CASE("many addresses in one pass get the same answers as each address alone") {
  const std::vector<std::uint64_t> addresses = {1,
                                                0xffffffff80ffffff,
                                                0xffffffff81000100,
                                                0xffffffff810001ff,
                                                0xffffffff81000400,
                                                0xffffffff82000008,
                                                0xffffffffc0000500,
                                                0xffffffffc0000fff,
                                                0xffffffffc0001000,
                                                0xffffffffc0002fff,
                                                0xffffffffc0003000,
                                                0xffffffffffffffff};
  const auto symbols = resolve(kernel, addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    CHECK(shown(symbols[i], addresses[i]) == one(kernel, addresses[i]));
  }
}

TEST_CASE("modules and BPF programs are distinguished from the kernel, in any order of the list") {
  CHECK(one(kernel, 0xffffffffc0001004) == "nf_early+4 [nf_tables]");
  CHECK(one(kernel, 0xffffffffc0002004) == "nf_late+4 [nf_tables]");
  CHECK(one(kernel, 0xffffffffc0000510) == "bpf_prog_6deef7357e7b4530_f+16 [bpf]");
}

TEST_CASE("an address that no function can reach has no symbol") {
  CHECK(one(kernel, 0x400000) == "?");            // below the first function
  CHECK(one(kernel, 0xffffffff81000401) == "?");  // behind the end of the text
  CHECK(one(kernel, 0xffffffff82000010) == "?");  // data
  CHECK(one(kernel, 0xffffffffc0003010) == "?");  // a module's data
  CHECK(one("ffffffff81000000 T f\n", 0xffffffff91000000) == "?");
  CHECK(resolve(kernel, {0x400000})[0].unnamed == Unnamed::no_symbol);
}

TEST_CASE("the padding before a kernel function has the name of the function") {
  constexpr std::string_view text =
      "ffffffff81000000 T f\n"
      "ffffffff81000030 t __pfx_g\n"
      "ffffffff81000040 T g\n"
      "ffffffff81000050 t before_h\n"
      "ffffffff81000050 t __pfx_h\n";
  CHECK(one(text, 0xffffffff81000035) == "g+5 [kernel]");
  CHECK(one(text, 0xffffffff81000045) == "g+5 [kernel]");
  CHECK(one(text, 0xffffffff81000055) == "before_h+5 [kernel]");
}

TEST_CASE("marks of code and data in arm64 modules are no names and end no function") {
  constexpr std::string_view text =
      "ffff80007a000000 t $x\t[nf_tables]\n"
      "ffff80007a000000 t nf_early\t[nf_tables]\n"
      "ffff80007a000040 t $d\t[nf_tables]\n"
      "ffff80007a000048 t $x.12\t[nf_tables]\n"
      "ffff80007a000080 t $excuse\t[nf_tables]\n";
  CHECK(one(text, 0xffff80007a000000) == "nf_early+0 [nf_tables]");
  CHECK(one(text, 0xffff80007a000050) == "nf_early+80 [nf_tables]");
  CHECK(one(text, 0xffff80007a000080) == "$excuse+0 [nf_tables]");
}

TEST_CASE("the first of several kernel names for one address is used, as in the kernel") {
  CHECK(one("1000 t a\n1000 W b\n1000 T longer_name\n", 0x1000) == "a+0 [kernel]");
  CHECK(one("1000 t __do_sys_fork\n1000 T __x64_sys_fork\n1000 T __ia32_sys_fork\n", 0x1000) ==
        "__do_sys_fork+0 [kernel]");
  CHECK(one("1000 t f\n1000 T _stext\n", 0x1000) == "f+0 [kernel]");
  CHECK(one("1000 d data\n1000 t f\n1000 t g\n", 0x1000) == "f+0 [kernel]");
}

TEST_CASE("a list of zero addresses means that the kernel hides its addresses") {
  const auto symbols = resolve("0000000000000000 T f\n0000000000000000 t g\t[m]\n", {0x1000, 0xffffffff81000000});
  CHECK(symbols[0].unnamed == Unnamed::kernel_hidden);
  CHECK(symbols[1].unnamed == Unnamed::kernel_hidden);
  CHECK(resolve("", {0x1000})[0].unnamed == Unnamed::no_symbol);
}

TEST_CASE("a kernel name of the greatest length is read whole, and bad lines do no harm") {
  const std::string name(511, 'n');
  const std::string text =
      "1000 T before\n\n \nzzzz T bad\n2000\n2000 T\n2000 T \n11112222333344445 T bad\n3000 T bad\t[\n" +
      std::string(300'000, '1') + " T too_long\n1010 T " + name + "\n1020 T unfinished";
  CHECK(one(text, 0x1011) == name + "+1 [kernel]");
  CHECK(one(text, 0x1021) == "unfinished+1 [kernel]");
  CHECK(one(text, 0x2001) == "unfinished+4065 [kernel]");
}

TEST_CASE("kernel lines that are split between reads are joined") {
  std::string text;
  char line[64];
  for (unsigned i = 0; i < 20'000; ++i) {
    std::snprintf(line, sizeof line, "%016x t f_%u\t[m%u]\n", 0x1000 + 16 * i, i, i % 7);
    text += line;
  }
  std::vector<std::uint64_t> addresses;
  for (unsigned i = 0; i < 20'000; i += 3) addresses.push_back(0x1003 + 16 * i);
  const auto symbols = resolve(text, addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto number = std::to_string(3 * i);
    REQUIRE(shown(symbols[i], addresses[i]) == "f_" + number + "+3 [m" + std::to_string(3 * i % 7) + "]");
  }
}

TEST_CASE("the symbols of this kernel are read, or are reported as hidden") {
  const Fd fd(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
  if (!fd) {
    MESSAGE("skipped: no /proc/kallsyms");
    return;
  }
  const std::vector<RuntimeAddress> addresses = {{0x1000}};
  const auto symbols = resolve_kernel(fd.get(), addresses);
  CHECK((symbols[0].unnamed == Unnamed::no_symbol || symbols[0].unnamed == Unnamed::kernel_hidden));
}
