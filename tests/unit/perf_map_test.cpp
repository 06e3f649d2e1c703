// The reader of perf maps, on texts a run-time could have written and on such it should not have.
#include "symbol/perf_map.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/fd.h"

using namespace profile;

namespace {

std::vector<std::string> names(const std::string& text, const std::vector<std::uint64_t>& wanted) {
  const Fd file(::memfd_create("map", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  std::vector<RuntimeAddress> addresses;
  for (const std::uint64_t address : wanted) addresses.push_back(RuntimeAddress{address});
  std::vector<Symbol> answers(addresses.size());
  resolve_perf_map(file.get(), addresses, answers);
  std::vector<std::string> all;
  for (const Symbol& answer : answers) {
    all.push_back(answer.unnamed == Unnamed::named ? answer.name + "@" + std::to_string(answer.start) : "?");
  }
  return all;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("an entry holds its first byte and not the one behind its last") {
  CHECK(names("100 10 f\n", {0xff, 0x100, 0x10f, 0x110}) == Names{"?", "f@256", "f@256", "?"});
}

TEST_CASE("addresses and sizes may be written with 0x, in either case") {
  CHECK(names("0x100 0x10 f\n0X200 10 g h\n", {0x100, 0x20F}) == Names{"f@256", "g h@512"});
  CHECK(names("7fAB00 0xF x\n", {0x7fab0e}) == Names{"x@8366848"});
}

TEST_CASE("the last entry that holds an address names it, whole or in part") {
  CHECK(names("100 20 old\n110 20 new\n", {0x108, 0x118, 0x128}) == Names{"old@256", "new@272", "new@272"});
  CHECK(names("110 8 small\n100 20 big\n", {0x112}) == Names{"big@256"});
}

TEST_CASE("bad lines are passed over and do not spoil the next") {
  CHECK(names("\n \nxyz\n100\n100 10\n100 10 \n-1 10 n\n100 0 empty\n100 10 f\n", {0x100}) == Names{"f@256"});
  CHECK(names(std::string(200'000, 'a') + "\n100 10 f\n", {0x100}) == Names{"f@256"});
  CHECK(names("ffffffffffffffffff 10 big\n100 10 f\n", {0x100}) == Names{"f@256"});
  CHECK(names(std::string("\0\0\0\n100 10 f\n", 13), {0x100}) == Names{"f@256"});
}

TEST_CASE("an entry up to the end of the address space does not wrap around") {
  CHECK(names("fffffffffffffff0 100 f\n", {0x5, 0xfffffffffffffff8}) == Names{"?", "f@18446744073709551600"});
}

TEST_CASE("a line that is still being written is not believed") {
  CHECK(names("100 10 f\n200 10 half", {0x100, 0x200}) == Names{"f@256", "?"});
}

TEST_CASE("a carriage return is no part of a name, and an endless name is cut off") {
  CHECK(names("100 10 f\r\n", {0x100}) == Names{"f@256"});
  const Names cut = names("100 10 " + std::string(10'000, 'n') + "\n", {0x100});
  CHECK(cut[0].size() == 4096 + std::string("@256").size());
}

TEST_CASE("a map longer than the buffer is read to its end") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "1000 10 filler_with_some_length_" + std::to_string(i) + "\n";
  text += "100 10 last\n";
  CHECK(names(text, {0x100, 0x1000}) == Names{"last@256", "filler_with_some_length_99999@4096"});
}

TEST_CASE("entries that all cover everything end in bounded time") {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "0 ffffffffffffffff x\n";
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t i = 1; i <= 20'000; ++i) wanted.push_back(i * 16);
  const Names all = names(text, wanted);
  CHECK(all.front() == "x@0");
  CHECK(all.back() == "x@0");
}
