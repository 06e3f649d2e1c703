// Hashes of numbers, of chains of numbers and of texts. The finaliser and its constants are from splitmix64; it spreads
// addresses and small numbers, which differ in few bits. It resists an adversary who chooses the numbers, so that their
// hashes are equal, only in a chain that begins with hash_secret().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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

// A random number of this process.
[[nodiscard]] std::uint64_t hash_secret() noexcept;
// Gives a new child process another one: a hostile file that has taken the child over must not learn its parent's. The
// child cannot use tables that were filled before.
void renew_hash_secret() noexcept;
// For a module, which has its own copy of these functions, but gets tables that the program has filled.
void set_hash_secret(std::uint64_t secret) noexcept;

// Begins with the secret.
[[nodiscard]] std::uint64_t hash_of_text(std::string_view text) noexcept;

// For containers of the standard library whose keys other users may choose.
struct TextHash {
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept { return hash_of_text(text); }
};

}  // namespace profile
