#include "support/hash.h"

#include <sys/random.h>

#include <atomic>
#include <cstring>

#include "support/clock.h"

namespace profile {
namespace {

std::uint64_t random_number() noexcept {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) number = monotonic_ns();
  return number;
}

std::atomic<std::uint64_t>& secret() noexcept {
  static std::atomic<std::uint64_t> number{random_number()};
  return number;
}

}  // namespace

std::uint64_t hash_secret() noexcept { return secret().load(std::memory_order_relaxed); }

void renew_hash_secret() noexcept { set_hash_secret(random_number()); }

void set_hash_secret(std::uint64_t number) noexcept { secret().store(number, std::memory_order_relaxed); }

std::uint64_t hash_of_text(std::string_view text) noexcept {
  std::uint64_t hash = hash_of(hash_secret(), text.size());
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t bytes = text.size() < sizeof word ? text.size() : sizeof word;
    std::memcpy(&word, text.data(), bytes);
    hash = hash_of(hash, word);
    text.remove_prefix(bytes);
  }
  return hash;
}

}  // namespace profile
