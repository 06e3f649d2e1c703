// Hashes of numbers and of chains of numbers. The finaliser and its constants are from splitmix64; it spreads addresses
// and small numbers, which differ in few bits. It does not resist an adversary who chooses the numbers.
#pragma once

#include <cstdint>

namespace profile {

[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The hash of a chain of numbers; `seed` is the hash of the numbers before `next`.
[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t seed, std::uint64_t next) {
  return hash_of(seed ^ (next + 0x9e3779b97f4a7c15ULL));
}

}  // namespace profile
