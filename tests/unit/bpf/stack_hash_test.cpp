// Tests the hash of a walked stack. The code is the BPF program's own text, compiled here.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "walk_host.h"

namespace {

void seed_with(std::uint64_t one, std::uint64_t other) {
  walk_config.seed[0] = one;
  walk_config.seed[1] = other;
}

std::uint64_t hash_of(const std::vector<std::uint64_t>& frames, std::uint64_t last) {
  struct walk walk {};
  begin_hash(&walk);
  for (const std::uint64_t frame : frames) add_to_hash(&walk, frame);
  return end_hash(&walk, last);
}

// The bytes 0, 1, 2, ... as words.
std::vector<std::uint64_t> counting(std::size_t words) {
  std::vector<std::uint64_t> all;
  for (std::size_t word = 0; word < words; ++word) {
    std::uint64_t value = 0;
    for (std::size_t byte = 8; byte-- > 0;) value = value << 8 | (word * 8 + byte);
    all.push_back(value);
  }
  return all;
}

}  // namespace

// CPython 3.11 gives these hashes for bytes() with PYTHONHASHSEED=0, so its key is 0 (sys.hash_info.algorithm:
// siphash13). Its last word has the number of bytes in the highest byte.
TEST_CASE("the hash of a stack is SipHash-1-3") {
  seed_with(0, 0);
  CHECK(hash_of(counting(1), std::uint64_t{8} << 56) == 0xead411e67ebe2eea);
  CHECK(hash_of(counting(2), std::uint64_t{16} << 56) == 0x8972188433a5c5b7);
  CHECK(hash_of(counting(8), std::uint64_t{64} << 56) == 0x75e05fd5bbc870c6);
}

TEST_CASE("another program of a process has another hash") {
  walk before{};
  walk after{};
  ++after.exec_id;
  begin_hash(&before);
  begin_hash(&after);
  CHECK(end_hash(&before, 1) != end_hash(&after, 1));
}

TEST_CASE("another run has other hashes, for each half of its seed") {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t one = 0; one < 4; ++one) {
    for (std::uint64_t other = 0; other < 4; ++other) {
      seed_with(one, other);
      hashes.insert(hash_of({0x401000, 0x401100}, 2));
    }
  }
  CHECK(hashes.size() == 16);
  seed_with(0, 0);
}

// A program can lay out its calls as it likes. These stacks collide in sums, exclusive ors, polynomials and shifts.
TEST_CASE("stacks that are built to collide have different hashes") {
  std::vector<std::vector<std::uint64_t>> stacks;
  const std::uint64_t place = 0x401000;
  for (std::uint64_t bits = 0; bits < 4096; ++bits) {
    // Two frames in both orders, and pairs whose differences cancel each other.
    std::vector<std::uint64_t> ordered;
    std::vector<std::uint64_t> cancelled;
    for (std::uint64_t at = 0; at < 12; ++at) {
      const bool is_set = (bits >> at & 1) != 0;
      ordered.push_back(is_set ? place + 16 : place);
      ordered.push_back(is_set ? place : place + 16);
      cancelled.push_back(place + (is_set ? 1ULL << (at * 4) : 0));
      cancelled.push_back(place - (is_set ? 1ULL << (at * 4) : 0));
    }
    stacks.push_back(ordered);
    stacks.push_back(cancelled);
  }
  // The same word up to 64 times: no bit, all bits, or the highest bit.
  for (std::size_t zeros = 1; zeros <= 64; ++zeros) {
    stacks.emplace_back(zeros, 0);
    stacks.emplace_back(zeros, ~std::uint64_t{0});
    stacks.emplace_back(zeros, std::uint64_t{1} << 63);
  }
  std::set<std::vector<std::uint64_t>> distinct(stacks.begin(), stacks.end());
  std::set<std::uint64_t> hashes;
  for (const auto& stack : distinct) hashes.insert(hash_of(stack, stack.size() << 32));
  CHECK(hashes.size() == distinct.size());
}

TEST_CASE("the end of a stack is part of its hash") {
  const std::vector<std::uint64_t> frames{0x401000, 0x401100};
  std::set<std::uint64_t> hashes;
  for (std::uint64_t end = 0; end < 256; ++end) hashes.insert(hash_of(frames, std::uint64_t{2} << 32 | end));
  CHECK(hashes.size() == 256);
}
