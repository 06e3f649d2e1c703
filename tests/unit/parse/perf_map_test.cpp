// Tests the reader of perf maps, with texts that a run-time may write and with texts that it must not write.
#include "parse/jit_map.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/fd.h"

using namespace profile;

namespace {

// A map that grows while it is read, and the state of its reader.
class Map {
 public:
  Map() : file_(::memfd_create("map", MFD_CLOEXEC)) { REQUIRE(file_); }
  void add(std::string_view text) { REQUIRE(::write(file_.get(), text.data(), text.size()) == ssize(text)); }
  void write_anew(std::string_view text) {
    REQUIRE(::ftruncate(file_.get(), 0) == 0);
    REQUIRE(::lseek(file_.get(), 0, SEEK_SET) == 0);
    add(text);
  }
  void grow(off_t bytes) { REQUIRE(::ftruncate(file_.get(), bytes) == 0); }

  std::vector<std::string> names(const std::vector<std::uint64_t>& wanted) {
    std::vector<RuntimeAddress> addresses;
    for (const std::uint64_t address : wanted) addresses.push_back(RuntimeAddress{address});
    std::vector<JitSymbol> answers(addresses.size());
    const std::uint64_t before = budget.left();
    map_.resolve(file_.get(), addresses, answers, budget);
    steps = before - budget.left();
    std::vector<std::string> all;
    for (const JitSymbol& answer : answers) {
      const char* const unnamed = answer.unnamed == Unnamed::too_large ? "too large" : "?";
      all.push_back(answer.unnamed == Unnamed::named ? answer.name + "@" + std::to_string(answer.start) : unnamed);
    }
    return all;
  }

  WorkBudget budget{UINT64_MAX};
  std::uint64_t steps = 0;  // by the last read

 private:
  static ssize_t ssize(std::string_view text) { return static_cast<ssize_t>(text.size()); }

  Fd file_;
  JitMap map_;
};

std::vector<std::string> names(const std::string& text, const std::vector<std::uint64_t>& wanted) {
  Map map;
  map.add(text);
  return map.names(wanted);
}

std::string hex(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%" PRIx64, number);
  return text;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a map entry covers its first byte up to its last byte") {
  CHECK(names("100 10 f\n", {0xff, 0x100, 0x10f, 0x110}) == Names{"?", "f@256", "f@256", "?"});
}

TEST_CASE("addresses and sizes can have the prefix 0x, in either case") {
  CHECK(names("0x100 0x10 f\n0X200 10 g h\n", {0x100, 0x20F}) == Names{"f@256", "g h@512"});
  CHECK(names("7fAB00 0xF x\n", {0x7fab0e}) == Names{"x@8366848"});
}

TEST_CASE("the last entry that covers an address names it, even in part") {
  CHECK(names("100 20 old\n110 20 new\n", {0x108, 0x118, 0x128}) == Names{"old@256", "new@272", "new@272"});
  CHECK(names("110 8 small\n100 20 big\n", {0x112}) == Names{"big@256"});
}

TEST_CASE("bad lines of a map are skipped, and the next lines are read") {
  CHECK(names("\n \nxyz\n100\n100 10\n100 10 \n-1 10 n\n100 0 empty\n100 10 f\n", {0x100}) == Names{"f@256"});
  CHECK(names(std::string(60'000, 'a') + "\n100 10 f\n", {0x100}) == Names{"f@256"});
  CHECK(names("ffffffffffffffffff 10 big\n100 10 f\n", {0x100}) == Names{"f@256"});
}

TEST_CASE("a zero byte or an endless line ends the map") {
  CHECK(names(std::string("100 10 f\n\0\n200 10 g\n", 20), {0x100, 0x200}) == Names{"f@256", "?"});
  CHECK(names(std::string("100 10 f\n200 10 \0g\n", 20), {0x100, 0x200}) == Names{"f@256", "?"});
  CHECK(names("100 10 f\n" + std::string(400'000, 'a') + "\n200 10 g\n", {0x100, 0x200}) == Names{"f@256", "?"});
  Map sparse;
  sparse.add("100 10 f\n");
  sparse.grow(off_t{1} << 28);
  CHECK(sparse.names({0x100}) == Names{"f@256"});
  CHECK(sparse.steps < 1 << 20);
}

TEST_CASE("an entry up to the end of the address space does not wrap around") {
  CHECK(names("fffffffffffffff0 100 f\n", {0x5, 0xfffffffffffffff8}) == Names{"?", "f@18446744073709551600"});
}

TEST_CASE("an unfinished line of a map is ignored") {
  CHECK(names("100 10 f\n200 10 half", {0x100, 0x200}) == Names{"f@256", "?"});
}

TEST_CASE("a carriage return is no part of a name in a map, and an endless name is cut off") {
  CHECK(names("100 10 f\r\n", {0x100}) == Names{"f@256"});
  const Names cut = names("100 10 " + std::string(10'000, 'n') + "\n", {0x100});
  CHECK(cut[0].size() == 4096 + std::string("@256").size());
}

TEST_CASE("a map that is longer than the buffer is read to its end") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "1000 10 filler_with_some_length_" + std::to_string(i) + "\n";
  text += "100 10 last\n";
  CHECK(names(text, {0x100, 0x1000}) == Names{"last@256", "filler_with_some_length_99999@4096"});
}

TEST_CASE("known parts of a map are not read again, and a map that grows is read from its old end") {
  Map map;
  map.add("100 20 f\n200 20 g\n");
  CHECK(map.names({0x108, 0x190}) == Names{"f@256", "?"});
  CHECK(map.names({0x100, 0x11f, 0x120, 0x1ff}) == Names{"f@256", "f@256", "?", "?"});
  CHECK(map.steps == 0);
  // This address is new, so the map is read.
  CHECK(map.names({0x200}) == Names{"g@512"});
  CHECK(map.steps >= 18);
  const std::string added = "300 20 h\n";
  map.add(added);
  CHECK(map.names({0x110, 0x210, 0x310}) == Names{"f@256", "g@512", "h@768"});
  // The added part, and one name of it.
  CHECK(map.steps <= added.size() + 1 + 8 + 65);
}

TEST_CASE("a new entry replaces known names at exactly its own addresses") {
  Map map;
  map.add("100 100 old\n");
  CHECK(map.names({0x150}) == Names{"old@256"});
  map.add("140 10 new\n");
  CHECK(map.names({0x13f, 0x140, 0x14f, 0x150, 0x1ff}) == Names{"old@256", "new@320", "new@320", "old@256", "old@256"});
  map.add("100 100 last\n");
  CHECK(map.names({0x13f, 0x140, 0x150}) == Names{"last@256", "last@256", "last@256"});
}

TEST_CASE("a rewritten map is read again, whether it is shorter, longer or equally long") {
  for (const char* const text : {"100 20 b\n", "100 20 other\n", "100 20 with a longer name\n300 10 h\n"}) {
    Map map;
    map.add("100 20 first\n");
    CHECK(map.names({0x100}) == Names{"first@256"});
    map.write_anew(text);
    CHECK(map.names({0x100})[0] != "first@256");
  }
}

TEST_CASE("a line whose end comes later is read at that time") {
  Map map;
  map.add("100 20 f\n200 20 ha");
  CHECK(map.names({0x100, 0x200}) == Names{"f@256", "?"});
  map.add("lf\n");
  CHECK(map.names({0x100, 0x200}) == Names{"f@256", "half@512"});
}

TEST_CASE("a map that grows in steps gives the same answers as a map that is read whole") {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Map grown;
    std::string text;
    for (int step = 0; step < 20; ++step) {
      std::string added;
      for (std::uint32_t lines = random() % 4; lines > 0; --lines) {
        added += hex(random() % 256) + " " + hex(1 + random() % 48) + " n" + std::to_string(random() % 1000) + "\n";
      }
      grown.add(added);
      text += added;
      std::set<std::uint64_t> wanted;
      for (std::uint32_t count = 1 + random() % 8; count > 0; --count) wanted.insert(random() % 300);
      const std::vector<std::uint64_t> addresses(wanted.begin(), wanted.end());
      CHECK(grown.names(addresses) == names(text, addresses));
    }
  }
}

TEST_CASE("a map that exceeds the budget gives no names, and the next attempt gives them") {
  Map map;
  map.add("100 20 f\n");
  map.budget = WorkBudget(5);
  CHECK(map.names({0x100}) == Names{"too large"});
  CHECK(map.steps == 0);
  map.budget = WorkBudget(100);
  CHECK(map.names({0x100}) == Names{"f@256"});
  map.budget = WorkBudget(0);
  CHECK(map.names({0x110}) == Names{"f@256"});
  CHECK(map.names({0x200}) == Names{"too large"});
}

TEST_CASE("an entry pays for each address that it answers") {
  Map map;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t i = 0; i < 1000; ++i) addresses.push_back(0x1000 + i);
  for (unsigned i = 0; i < 1000; ++i) map.add("0 ffffffff x\n");
  CHECK(map.names(addresses).back() == "x@0");
  CHECK(map.steps > 1000 * 1000);
  // Of a map that was too much, nothing is remembered, and not even that an address has no entry.
  Map poor;
  for (unsigned i = 0; i < 1000; ++i) poor.add("0 ffffffff x\n");
  poor.budget = WorkBudget(100'000);
  CHECK(poor.names(addresses).back() == "too large");
  poor.budget = WorkBudget(UINT64_MAX);
  CHECK(poor.names(addresses).back() == "x@0");
}

TEST_CASE("map entries that all cover everything are read in bounded time") {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "0 ffffffffffffffff x\n";
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t i = 1; i <= 20'000; ++i) wanted.push_back(i * 16);
  Map map;
  map.add(text);
  map.budget = WorkBudget(1U << 28);
  CHECK(map.names(wanted).back() == "too large");
  CHECK(map.budget.spent());
}
