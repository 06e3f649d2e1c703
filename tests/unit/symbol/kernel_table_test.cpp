// Tests the kernel's names in memory. They must give the same answers as a fresh read, and the kernel is read again
// only when names may have changed.
#include "symbol/kernel_table.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../made_elf.h"
#include "support/fd.h"
#include "support/text_file.h"
#include "symbol/kallsyms.h"
#include "symbol/kernel_names.h"

using namespace profile;

namespace {

std::string shown(const KernelSymbol& symbol) {
  if (symbol.unnamed != Unnamed::named) return "?" + std::to_string(static_cast<int>(symbol.unnamed));
  return symbol.name + " " + std::to_string(symbol.start) + " [" + symbol.module + "]";
}

Fd opened(std::string_view text) {
  Fd fd = test::in_memory(text);
  REQUIRE(::lseek(fd.get(), 0, SEEK_SET) == 0);
  return fd;
}

// Counts the addresses for which the table and a read of `fd` have different answers.
int differences(int fd, const std::set<std::uint64_t>& values) {
  std::vector<RuntimeAddress> addresses;
  for (const std::uint64_t value : values) addresses.push_back({value});
  REQUIRE(::lseek(fd, 0, SEEK_SET) == 0);
  const auto expected = resolve_kernel(fd, addresses);
  REQUIRE(::lseek(fd, 0, SEEK_SET) == 0);
  const KernelTable table(fd);
  int differing = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string found = shown(table.find(addresses[i]));
    if (found == shown(expected[i])) continue;
    if (++differing < 5) MESSAGE(addresses[i].value, ": ", found, " is not ", shown(expected[i]));
  }
  return differing;
}

constexpr std::string_view kernel =
    "ffffffff81000000 T _text\n"
    "ffffffff81000100 T vfs_read\n"
    "ffffffff81000200 t last_one\n"
    "ffffffff81000400 T _etext\n"
    "ffffffff82000000 D some_data\n"
    "ffffffffc0001000 t nf_early\t[nf_tables]\n"
    "ffffffffc0002000 t nf_late\t[nf_tables]\n"
    "ffffffffc0004000 t ext_one\t[ext9]\n"
    "ffffffffc0006000 t bpf_prog_1_f\t[bpf]\n"
    "ffffffffc0007000 t bpf_prog_2_f\t[bpf]\n";

constexpr std::uint64_t second_ns = 1'000'000'000;

// A kernel whose symbols change, and a clock.
struct Machine {
  std::string text{kernel};
  std::uint64_t now_ns = 5 * second_ns;
  int readings = 0;
  bool opens = true;
  KernelNames names{[this] {
                      ++readings;
                      return opens ? opened(text) : Fd();
                    },
                    [this] { return now_ns; }};
  // "function" or "?", with "~" if the answer is not final.
  std::string ask(std::uint64_t address) {
    const std::vector<RuntimeAddress> one{{address}};
    const auto answer = names.resolve(one).front();
    return (answer.symbol.unnamed == Unnamed::named ? answer.symbol.name : "?") + (answer.is_final ? "" : "~");
  }
};

}  // namespace

TEST_CASE("the table of kernel names gives the same answers as a search for each address") {
  std::mt19937 random(1);
  const std::vector<std::string> names{"f",     "_f",       "__pfx_f", "__GI_f", "longer_f", "_etext",
                                       "_text", "__cfi_gg", "f_data",  "gg",     "_stext",   "__sched_text_start",
                                       "hh"};
  const std::vector<std::string> modules{"", "", "", "\t[nf]", "\t[bpf]", "\t[other]"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    char line[128];
    for (auto i = random() % 60; i > 0; --i) {
      const std::uint64_t base = random() % 4 == 0 ? 0xffffffffc0000000 : 0xffffffff81000000;
      std::snprintf(line, sizeof line, "%016lx %c %s%s\n", base + (random() % 40) * (random() % 4 == 0 ? 0x100000 : 4),
                    "TtWwDdb"[random() % 7], names[random() % names.size()].c_str(),
                    modules[random() % modules.size()].c_str());
      text += line;
    }
    std::set<std::uint64_t> addresses;
    for (int i = 0; i < 100; ++i) {
      addresses.insert(0xffffffff81000000 + random() % 200);
      addresses.insert(0xffffffff81000000 + random() % 0x3000000);
      addresses.insert(0xffffffffc0000000 + random() % 200);
    }
    const Fd fd = opened(text);
    REQUIRE(differences(fd.get(), addresses) == 0);
  }
  CHECK(differences(opened("0000000000000000 T f\n0000000000000000 t g\t[m]\n").get(), {0x1000}) == 0);
  CHECK(differences(opened("").get(), {0x1000}) == 0);
}

TEST_CASE("the table of this kernel gives the same answers as /proc/kallsyms, in a few megabytes") {
  // The text is read only once, because BPF programs come and go.
  const auto text = read_text_file("/proc/kallsyms", 1 << 28);
  if (!text) {
    MESSAGE("skipped: no /proc/kallsyms");
    return;
  }
  const Fd fd = opened(*text);
  std::size_t lines = 0;
  std::vector<std::uint64_t> starts;
  for_each_kernel_line(fd.get(), [&](const KernelLine& line) {
    ++lines;
    starts.push_back(line.address);
  });
  std::mt19937 random(2);
  std::set<std::uint64_t> addresses{1, UINT64_MAX};
  for (int i = 0; i < 20'000; ++i) addresses.insert(starts[random() % starts.size()] + random() % 64);
  CHECK(differences(fd.get(), addresses) == 0);
  REQUIRE(::lseek(fd.get(), 0, SEEK_SET) == 0);
  const KernelTable table(fd.get());
  MESSAGE(lines, " symbols in ", table.size_bytes(), " bytes");
  CHECK(table.size_bytes() <= lines * 48);
}

TEST_CASE("the kernel table marks addresses whose names can change later") {
  const Fd fd = opened(kernel);
  const KernelTable table(fd.get());
  using Holds = KernelTable::Holds;
  CHECK(table.holds({0xffffffff81000110}) == Holds::always);
  CHECK(table.holds({0xffffffff81000210}) == Holds::always);
  CHECK(table.holds({0xffffffff81000410}) == Holds::until_changed);  // behind the end of the text
  CHECK(table.holds({0xffffffff82000410}) == Holds::until_changed);
  CHECK(table.holds({0xffffffffc0000010}) == Holds::until_changed);
  CHECK(table.holds({0xffffffffc0001010}) == Holds::while_loaded);
  CHECK(table.holds({0xffffffffc0002010}) == Holds::until_changed);  // of nf_tables, or of a later module
  CHECK(table.holds({0xffffffffc0006010}) == Holds::until_changed);
  CHECK(table.holds({0xffffffffc0007010}) == Holds::until_changed);
  CHECK(table.holds({0x1000}) == Holds::until_changed);
}

TEST_CASE("kernel names are read once, and again when a module or BPF program can be new") {
  Machine machine;
  CHECK(machine.ask(0xffffffff81000110) == "vfs_read");
  CHECK(machine.readings == 1);
  machine.now_ns += 100 * second_ns;
  CHECK(machine.ask(0xffffffff81000210) == "last_one");
  CHECK(machine.readings == 1);
  machine.text += "ffffffffc0006800 t bpf_prog_3_f\t[bpf]\nffffffffc0009000 t newcomer\t[new]\n";
  CHECK(machine.ask(0xffffffffc0006810) == "bpf_prog_3_f");
  CHECK(machine.ask(0xffffffffc0009010) == "newcomer~");
  CHECK(machine.readings == 2);
}

TEST_CASE("kernel names are read at most once a second, and uncertain names are marked") {
  Machine machine;
  CHECK(machine.ask(0xffffffffc0006810) == "bpf_prog_1_f");  // the names were read just now
  machine.text += "ffffffffc0006800 t bpf_prog_3_f\t[bpf]\n";
  machine.now_ns += second_ns / 2;
  CHECK(machine.ask(0xffffffffc0006820) == "bpf_prog_1_f~");
  CHECK(machine.ask(0xffffffff81000110) == "vfs_read");
  CHECK(machine.ask(0xffffffffc0001010) == "nf_early");
  CHECK(machine.readings == 1);
  machine.now_ns += second_ns / 2;
  CHECK(machine.ask(0xffffffffc0001020) == "nf_early");
  CHECK(machine.readings == 1);
  CHECK(machine.ask(0xffffffffc0006820) == "bpf_prog_3_f");
  CHECK(machine.readings == 2);
}

TEST_CASE("a loaded module is trusted for ten seconds") {
  Machine machine;
  CHECK(machine.ask(0xffffffffc0001010) == "nf_early");
  const std::string before = "nf_early\t[nf_tables]\nffffffffc0002000 t nf_late\t[nf_tables]";
  machine.text.replace(machine.text.find(before), before.size(), "xt_early\t[xt]\nffffffffc0002000 t xt_late\t[xt]");
  machine.now_ns += 9 * second_ns;
  CHECK(machine.ask(0xffffffffc0001020) == "nf_early");
  machine.now_ns += second_ns;
  CHECK(machine.ask(0xffffffffc0001020) == "xt_early");
  CHECK(machine.readings == 2);
}

TEST_CASE("the list of kernel names is read if the kernel gives no name, and is kept unless this is seldom") {
  int readings = 0;
  const auto open = [&readings] {
    ++readings;
    return opened(kernel);
  };
  bool is_told = true;
  const auto ask = [&is_told](std::span<const RuntimeAddress> addresses, std::span<KernelSymbol> answers) {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (addresses[i].value == 0xffffffffc0006010) continue;
      answers[i].unnamed = Unnamed::named;
      answers[i].name = "told";
      answers[i].module = addresses[i].value < 0xffffffffc0000000 ? "kernel" : "nf_tables";
    }
    return is_told;
  };
  const auto now_ns = [] { return second_ns; };
  for (const bool is_seldom : {false, true}) {
    readings = 0;
    is_told = true;
    KernelNames names(open, now_ns, ask, is_seldom);
    const std::vector<RuntimeAddress> all{{0xffffffff81000110}, {0xffffffffc0001010}, {0xffffffffc0006010}};
    const auto answers = names.resolve(all);
    CHECK(answers[0].symbol.name == "told");
    CHECK(answers[0].is_final);
    CHECK(answers[1].symbol.name == "told");
    CHECK_FALSE(answers[1].is_final);
    CHECK(answers[2].symbol.name == "bpf_prog_1_f");
    CHECK(answers[2].is_final);
    CHECK(readings == 1);
    CHECK(names.resolve(std::span(all).first(2))[1].symbol.name == "told");
    CHECK(readings == 1);
    is_told = false;
    CHECK(names.resolve(all)[0].symbol.name == "vfs_read");
    CHECK(readings == (is_seldom ? 2 : 1));
  }
}

TEST_CASE("a kernel that hides its names is read only once") {
  Machine machine;
  machine.text = "0000000000000000 T f\n0000000000000000 t g\t[m]\n";
  CHECK(machine.ask(0xffffffff81000110) == "?");
  machine.now_ns += 100 * second_ns;
  CHECK(machine.ask(0xffffffffc0001010) == "?");
  CHECK(machine.readings == 1);
  Machine closed;
  closed.opens = false;
  CHECK(closed.ask(0xffffffff81000110) == "?");
  closed.now_ns += 100 * second_ns;
  CHECK(closed.ask(0xffffffff81000110) == "?");
  CHECK(closed.readings == 1);
}
