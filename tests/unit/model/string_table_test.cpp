// Tests that each distinct string is kept once, that views stay valid, and that no strings can be made that are slow.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cpu_time.h"
#include "model/string_table.h"
#include "support/hash.h"

using namespace profile;

namespace {

// Texts of two words that libstdc++'s std::hash, which has a fixed key, does not tell apart.
std::vector<std::string> colliding_texts(std::size_t count) {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995;
  constexpr std::uint64_t seed = 0xc70f6907;
  std::uint64_t inverse = factor;
  for (int i = 0; i < 5; ++i) inverse *= 2 - factor * inverse;
  const auto mix = [](std::uint64_t word) { return word ^ word >> 47; };
  std::vector<std::string> texts;
  for (std::uint64_t first = 0; first < count; ++first) {
    const std::uint64_t after_first = (seed ^ 16 * factor ^ mix(first * factor) * factor) * factor;
    const std::uint64_t words[] = {first, mix(after_first * inverse) * inverse};
    texts.emplace_back(reinterpret_cast<const char*>(words), sizeof words);
  }
  return texts;
}

}  // namespace

TEST_CASE("equal strings have equal ids, and other strings have other ids") {
  StringTable strings;
  const StringId a = strings.intern("a");
  CHECK(strings.intern(std::string("a")) == a);
  CHECK(strings.intern("b") != a);
  CHECK(strings.intern(std::string_view("a\0", 2)) != a);
  CHECK(strings.view(a) == "a");
  CHECK(strings.size() == 4);  // the empty one is always there
}

TEST_CASE("the empty string has the id 0 from the start") {
  StringTable strings;
  CHECK(strings.size() == 1);
  CHECK(strings.view(StringId::empty).empty());
  CHECK(strings.intern("") == StringId::empty);
}

TEST_CASE("views and ids stay valid while the table grows and when it moves") {
  StringTable strings;
  std::vector<std::string_view> views;
  for (int i = 0; i < 10000; ++i) views.push_back(strings.view(strings.intern(std::to_string(i))));
  StringTable moved(std::move(strings));
  StringTable assigned;
  assigned = std::move(moved);
  for (int i = 0; i < 10000; ++i) {
    const std::string text = std::to_string(i);
    REQUIRE(views[static_cast<std::size_t>(i)] == text);
    REQUIRE(assigned.view(assigned.intern(text)) == text);
  }
  CHECK(assigned.size() == 10001);
}

TEST_CASE("a copy of a string table has the same ids and grows separately") {
  StringTable strings;
  const StringId a = strings.intern("a");
  StringTable copy = strings;
  CHECK(copy.view(a) == "a");
  const StringId b = copy.intern("b");
  CHECK(strings.size() == 2);
  strings = copy;
  copy.intern("c");
  CHECK(strings.view(b) == "b");
  CHECK(strings.intern("b") == b);
  CHECK(strings.size() == 3);
}

TEST_CASE("texts that std::hash does not tell apart are told apart, and are interned as fast as others") {
  constexpr std::size_t count = 50'000;
  const std::vector<std::string> texts = colliding_texts(count);
  if (std::hash<std::string>{}(texts[0]) != std::hash<std::string>{}(texts[count - 1])) {
    MESSAGE("this is not libstdc++'s std::hash");
  }
  std::set<std::uint64_t> hashes;
  for (const std::string& text : texts) hashes.insert(hash_of_text(text) >> 32);
  CHECK(hashes.size() > count - 100);
  const auto intern_all = [&] {
    StringTable strings;
    for (const std::string& text : texts) strings.intern(text);
    CHECK(strings.size() == count + 1);
  };
  CHECK(test::cpu_seconds(intern_all, 0.5) < 1);
}

TEST_CASE("texts that differ only in zeros at their end have different hashes") {
  std::set<std::uint64_t> hashes;
  for (std::size_t size = 0; size < 20; ++size) hashes.insert(hash_of_text(std::string(size, '\0')));
  CHECK(hashes.size() == 20);
}

TEST_CASE("a child process with a new secret hashes in another way") {
  const std::uint64_t ours = hash_of_text("text");
  const pid_t child = ::fork();
  if (child == 0) {
    renew_hash_secret();
    ::_exit(hash_of_text("text") == ours ? 1 : 0);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(hash_of_text("text") == ours);
}
