// Tests the reader of jitdumps, with records that a run-time may write and with records that it must not write.
#include "parse/jit_dump.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parse/jit_map.h"
#include "support/fd.h"

using namespace profile;

namespace {

template <class... Number>
std::string bytes_of(Number... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}
using U32 = std::uint32_t;
using U64 = std::uint64_t;

std::string head() { return bytes_of(U32{0x4A695444}, U32{1}, U32{40}, U32{62}, U32{0}, U32{1}, U64{0}, U64{0}); }
std::string record(U32 kind, const std::string& content) {
  return bytes_of(kind, static_cast<U32>(16 + content.size()), U64{0}) + content;
}
std::string load(U64 address, U64 bytes, const std::string& name, U64 index = 0) {
  return record(0,
                bytes_of(U32{1}, U32{1}, address, address, bytes, index) + name + '\0' + std::string(bytes % 100, 'c'));
}
std::string moved(U64 from, U64 to, U64 bytes, U64 index) {
  return record(1, bytes_of(U32{1}, U32{1}, to, from, to, bytes, index));
}
struct Line {
  U64 address;
  U32 line;
  std::string file;
};
std::string lines(U64 address, const std::vector<Line>& all) {
  std::string content = bytes_of(address, U64{all.size()});
  for (const Line& line : all) content += bytes_of(line.address, line.line, U32{0}) + line.file + '\0';
  return record(2, content);
}

// A dump that grows while it is read, and the state of its reader.
class Dump {
 public:
  Dump() : file_(::memfd_create("dump", MFD_CLOEXEC)) { REQUIRE(file_); }
  void add(std::string_view bytes) {
    REQUIRE(::write(file_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  void grow(off_t bytes) { REQUIRE(::ftruncate(file_.get(), bytes) == 0); }

  std::vector<std::string> names(const std::vector<U64>& wanted) {
    std::vector<RuntimeAddress> addresses;
    for (const U64 address : wanted) addresses.push_back(RuntimeAddress{address});
    std::vector<JitSymbol> answers(addresses.size());
    const U64 before = budget.left();
    map_.resolve(file_.get(), addresses, answers, budget);
    steps = before - budget.left();
    std::vector<std::string> all;
    for (const JitSymbol& answer : answers) {
      std::string text = answer.unnamed == Unnamed::too_large ? "too large" : "?";
      if (answer.unnamed == Unnamed::named) text = answer.name + "@" + std::to_string(answer.start);
      if (!answer.file.empty()) text += " " + answer.file + ":" + std::to_string(answer.line);
      all.push_back(text);
    }
    return all;
  }

  WorkBudget budget{UINT64_MAX};
  U64 steps = 0;  // by the last read

 private:
  Fd file_;
  JitMap map_;
};

std::vector<std::string> names(const std::string& bytes, const std::vector<U64>& wanted) {
  Dump dump;
  dump.add(bytes);
  return dump.names(wanted);
}

using Names = std::vector<std::string>;
const std::string same_file = "\xff";

}  // namespace

TEST_CASE("code covers its first byte up to its last byte, and the latest code at an address counts") {
  CHECK(names(head() + load(0x100, 0x10, "f"), {0xff, 0x100, 0x10f, 0x110}) == Names{"?", "f@256", "f@256", "?"});
  CHECK(names(head() + load(0x100, 0x20, "old") + load(0x110, 0x20, "new"), {0x108, 0x118}) ==
        Names{"old@256", "new@272"});
  CHECK(names(head() + load(UINT64_MAX - 15, 0x100, "end"), {5, UINT64_MAX}) == Names{"?", "end@18446744073709551600"});
}

TEST_CASE("moved code keeps its name at its new place, also after a second move") {
  const std::string all = head() + load(0x100, 0x10, "f", 7) + moved(0x100, 0x500, 0x10, 7);
  CHECK(names(all, {0x505}) == Names{"f@1280"});
  CHECK(names(all + load(0x500, 0x10, "g", 8) + moved(0x500, 0x900, 0x10, 7), {0x500, 0x905}) ==
        Names{"g@1280", "f@2304"});
  // The dump does not know the moved function, and the function that was at 0x500 is gone.
  CHECK(names(all + moved(0x1, 0x500, 0x10, 99), {0x505}) == Names{"?"});
}

TEST_CASE("a source line applies up to the next address, and an empty mark repeats the file") {
  const std::string all =
      head() + lines(0x100, {{0x104, 3, "a.js"}, {0x108, 9, same_file}, {0x10c, 1, "b.js"}}) + load(0x100, 0x10, "f");
  CHECK(names(all, {0x100, 0x104, 0x107, 0x108, 0x10f}) ==
        Names{"f@256", "f@256 a.js:3", "f@256 a.js:3", "f@256 a.js:9", "f@256 b.js:1"});
}

TEST_CASE("source lines belong to the next code at their address, and move with it") {
  const std::string of_f = lines(0x100, {{0x100, 3, "a.js"}});
  CHECK(names(head() + of_f + load(0x200, 0x10, "g") + load(0x100, 0x10, "f"), {0x100, 0x200}) ==
        Names{"f@256 a.js:3", "g@512"});
  CHECK(names(head() + of_f + load(0x100, 0x10, "f") + load(0x100, 0x10, "later"), {0x100}) == Names{"later@256"});
  CHECK(names(head() + of_f + load(0x100, 0x10, "f", 1) + moved(0x100, 0x50, 0x10, 1), {0x50}) == Names{"f@80 a.js:3"});
  // Samples from before and after the move, in one question.
  const std::string two_lines = head() + lines(0x100, {{0x100, 3, "a.js"}, {0x108, 4, "a.js"}});
  CHECK(names(two_lines + load(0x100, 0x10, "f", 1) + moved(0x100, 0x500, 0x10, 1), {0x108, 0x500, 0x508}) ==
        Names{"f@256 a.js:4", "f@1280 a.js:3", "f@1280 a.js:4"});
  // Code without a name shows no line either.
  CHECK(names(head() + of_f + load(0x100, 0x10, ""), {0x100}) == Names{"?"});
}

TEST_CASE("known parts of a dump are not read again, separately for names and lines") {
  Dump dump;
  dump.add(head() + lines(0x100, {{0x100, 3, "a.js"}, {0x108, 4, same_file}}) + load(0x100, 0x10, "f"));
  CHECK(dump.names({0x101}) == Names{"f@256 a.js:3"});
  CHECK(dump.names({0x102}) == Names{"f@256 a.js:3"});
  CHECK(dump.steps == 0);
  CHECK(dump.names({0x109}) == Names{"f@256 a.js:4"});
  CHECK(dump.names({0x101, 0x10a}) == Names{"f@256 a.js:3", "f@256 a.js:4"});
  CHECK(dump.steps == 0);
}

TEST_CASE("a dump that grows in steps gives the same answers as a dump that is read whole") {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Dump grown;
    std::string whole = head();
    std::size_t written = 0;
    for (int step = 0; step < 20; ++step) {
      for (U32 count = random() % 4; count > 0; --count) {
        const U64 at = random() % 256;
        const U64 index = random() % 20;
        const std::string name = "n" + std::to_string(random() % 1000);
        if (random() % 3 == 0) whole += lines(at, {{at, 1, "a"}, {at + 5, 2, "b"}, {at + 9, 3, same_file}});
        if (random() % 5 == 0) whole += moved(random() % 256, at, 1 + random() % 48, index);
        whole += load(at, 1 + random() % 48, name, index);
      }
      const std::size_t part = random() % (whole.size() - written + 1);
      grown.add(std::string_view(whole).substr(written, part));
      written += part;
      std::set<U64> wanted;
      for (U32 count = 1 + random() % 8; count > 0; --count) wanted.insert(random() % 300);
      const std::vector<U64> addresses(wanted.begin(), wanted.end());
      CHECK(grown.names(addresses) == names(whole.substr(0, written), addresses));
    }
  }
}

TEST_CASE("an unfinished record is ignored, and an impossible record ends the dump") {
  const std::string f = load(0x100, 0x10, "f");
  const std::string g = load(0x200, 0x10, "g");
  CHECK(names(head() + f + g.substr(0, g.size() - 1), {0x100, 0x200}) == Names{"f@256", "?"});
  CHECK(names(head() + f + bytes_of(U32{0}, U32{3}, U64{0}) + g, {0x100, 0x200}) == Names{"f@256", "?"});
  CHECK(names(head() + f + record(77, "who knows") + g, {0x100, 0x200}) == Names{"f@256", "g@512"});
  CHECK(names(head() + record(0, "short") + record(1, "") + record(2, "x") + g, {0x200}) == Names{"g@512"});
  CHECK(names(head() + load(0x100, 0, "empty") + f, {0x100}) == Names{"f@256"});
  CHECK(names(head().substr(0, 20), {0x100}) == Names{"?"});
  std::string from_elsewhere = head();
  std::swap(from_elsewhere[0], from_elsewhere[3]);
  CHECK(names(from_elsewhere + f, {0x100}) == Names{"?"});
  Dump sparse;
  sparse.add(head() + f);
  sparse.grow(off_t{1} << 32);
  CHECK(sparse.names({0x100}) == Names{"f@256"});
  CHECK(sparse.steps < 1 << 20);
}

TEST_CASE("a record whose lines do not fill it gives no lines") {
  const auto with = [](const std::string& record_of_lines) {
    return names(head() + record_of_lines + load(0x100, 0x10, "f"), {0x100});
  };
  const std::vector<Line> two{{0x100, 3, "a.js"}, {0x108, 4, "b.js"}};
  CHECK(with(lines(0x100, two)) == Names{"f@256 a.js:3"});
  for (const U64 lie : {U64{0}, U64{1}, U64{3}, UINT64_MAX}) {
    std::string record_of_lines = lines(0x100, two);
    std::memcpy(record_of_lines.data() + 24, &lie, sizeof lie);
    CHECK(with(record_of_lines) == Names{"f@256"});
  }
  CHECK(with(lines(0x100, {{0x100, 3, std::string(10'000, 'a')}})) == Names{"f@256"});
  std::string endless = lines(0x100, two);
  endless.back() = 'x';
  CHECK(with(endless) == Names{"f@256"});
  // Node 20 writes such a record.
  std::string freed = lines(0x100, two);
  freed[32 + 16 + 1] = '\0';
  CHECK(with(freed) == Names{"f@256"});
}

TEST_CASE("a dump that exceeds the budget gives no names, and the next attempt gives them") {
  Dump dump;
  dump.add(head() + load(0x100, 0x10, "f"));
  dump.budget = WorkBudget(10);
  CHECK(dump.names({0x100}) == Names{"too large"});
  dump.budget = WorkBudget(1 << 20);
  CHECK(dump.names({0x100}) == Names{"f@256"});
}
