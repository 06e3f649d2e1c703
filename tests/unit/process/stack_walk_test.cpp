// Tests the walk of frame pointers. The chains are in this process's own memory, but they are read like another
// process's.
#include "process/stack_walk.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <vector>

using namespace profile;

namespace {

// Two frames; the outer one ends the chain.
struct Chain {
  explicit Chain(std::array<std::uint64_t, 2> return_addresses) {
    words = {reinterpret_cast<std::uint64_t>(&words[2]), return_addresses[0], 0, return_addresses[1]};
  }
  [[nodiscard]] std::vector<std::uint64_t> walk(std::size_t max_depth, std::uint64_t address_bits) const {
    const RuntimeAddress frame{reinterpret_cast<std::uint64_t>(words.data())};
    return walk_user_stack({.instruction = {0x1000}, .stack_pointer = frame, .frame_pointer = frame},
                           copy_of_stack(static_cast<std::uint32_t>(::getpid()), frame, sizeof words), max_depth,
                           address_bits);
  }
  std::array<std::uint64_t, 4> words{};
};

using Frames = std::vector<std::uint64_t>;
constexpr std::uint64_t all_bits = UINT64_MAX;

}  // namespace

TEST_CASE("a chain of frame pointers is followed to its end, up to the requested depth") {
  const Chain chain({0x2000, 0x3000});
  CHECK(chain.walk(127, all_bits) == Frames{0x1000, 0x2000, 0x3000});
  CHECK(chain.walk(2, all_bits) == Frames{0x1000, 0x2000});
}

TEST_CASE("the arm64 signature in a return address is removed") {
  const Chain chain({0x002b'7fff'f7a0'2000, 0x0053'aaaa'aaaa'3000});
  CHECK(chain.walk(127, UINT64_MAX >> 16) == Frames{0x1000, 0x7fff'f7a0'2000, 0xaaaa'aaaa'3000});
}

TEST_CASE("the mask of code addresses covers every address of this program's code") {
  const auto here = reinterpret_cast<std::uint64_t>(&code_address_bits);
  CHECK((here & code_address_bits()) == here);
}
