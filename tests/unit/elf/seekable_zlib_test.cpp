// Tests a compressed stream that is read at places all over it. Each read gives the original bytes; in a damaged stream
// it gives them or fails.
#include "elf/seekable_zlib.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "../made_elf.h"

using namespace profile;

namespace {

// Text that compresses about as well as debug information.
std::string words(std::size_t size, std::mt19937& random) {
  std::string text;
  while (text.size() < size) {
    text += static_cast<char>(random());
    text.append(random() % 8, static_cast<char>(random() % 16));
    if (text.size() > 5000) text += text.substr(text.size() - random() % 5000, 40);
  }
  text.resize(size);
  return text;
}

std::string compressed(const std::string& text) {
  uLongf size = ::compressBound(text.size());
  std::string packed(size, '\0');
  REQUIRE(::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                     text.size()) == Z_OK);
  packed.resize(size);
  return packed;
}

bool read(SeekableZlib& bytes, std::uint64_t offset, std::string& out) {
  return bytes.read(offset, std::as_writable_bytes(std::span(out)));
}

}  // namespace

TEST_CASE("a zlib stream that is read forwards, backwards and at random gives the original text") {
  std::mt19937 random(3);
  const std::string text = words(20 << 20, random);
  const std::string packed = compressed(text);
  // The stream has other bytes before and behind it.
  const Fd fd = test::in_memory("front" + packed + "back");
  SeekableZlib bytes(fd.get(), 5, packed.size(), text.size());
  const auto check = [&](std::uint64_t offset, std::size_t size) {
    std::string out(size, '\0');
    REQUIRE(read(bytes, offset, out));
    REQUIRE(out == text.substr(offset, size));
  };
  for (std::uint64_t at = 0; at + 100000 < text.size(); at += 1000000) check(at, 100000);
  for (std::uint64_t at = text.size(); at > 3000000; at -= 3000000) check(at - 17, 17);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t at = random() % text.size();
    check(at, std::min<std::uint64_t>(random() % 200000, text.size() - at));
  }
  check(0, text.size());
  std::string none;
  CHECK(read(bytes, text.size(), none));
  std::string one(1, '\0');
  CHECK_FALSE(read(bytes, text.size(), one));
  CHECK_FALSE(read(bytes, UINT64_MAX, one));
}

TEST_CASE("a zlib stream that is too short gives what it has") {
  std::mt19937 random(4);
  const std::string text = words(300000, random);
  const std::string packed = compressed(text);
  const Fd fd = test::in_memory(packed);
  std::string start(1000, '\0');
  std::string end(1000, '\0');
  SeekableZlib longer(fd.get(), 0, packed.size(), 2 * text.size());
  CHECK(read(longer, 1000, start));
  CHECK(start == text.substr(1000, 1000));
  CHECK_FALSE(read(longer, text.size() + 5, end));
  CHECK(read(longer, 1000, start));
  SeekableZlib cut(fd.get(), 0, packed.size() / 2, text.size());
  CHECK(read(cut, 1000, start));
  CHECK_FALSE(read(cut, text.size() - 1000, end));
  SeekableZlib beyond(fd.get(), packed.size() + 5, packed.size(), text.size());
  CHECK_FALSE(read(beyond, 0, start));
}

TEST_CASE("a damaged zlib stream ends at the damage, and the part before it can still be read") {
  std::mt19937 random(5);
  const std::string text = words(2 << 20, random);
  for (int round = 0; round < 30; ++round) {
    std::string packed = compressed(text);
    packed[packed.size() / 2 + random() % (packed.size() / 4)] ^= static_cast<char>(1 + random() % 255);
    const Fd fd = test::in_memory(packed);
    SeekableZlib bytes(fd.get(), 0, packed.size(), text.size());
    std::string out(100000, '\0');
    for (int i = 0; i < 10; ++i) (void)read(bytes, random() % (text.size() - out.size()), out);
    REQUIRE(read(bytes, 4096, out));
    CHECK(out == text.substr(4096, out.size()));
  }
}

TEST_CASE("many random reads in a zlib stream come to an end") {
  std::mt19937 random(6);
  const std::string text = words(12 << 20, random);
  const std::string packed = compressed(text);
  const Fd fd = test::in_memory(packed);
  SeekableZlib bytes(fd.get(), 0, packed.size(), text.size());
  std::string out(1, '\0');
  bool all = true;
  // Random places in the whole text, so that the kept blocks and states seldom help.
  for (int i = 0; i < 200000 && all; ++i) all = read(bytes, random() % text.size(), out);
  CHECK_FALSE(all);
}
