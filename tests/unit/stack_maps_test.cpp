// Stacks that the kernel side walked and sent: kept by generation, found by hash, and with why they ended.
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "sampling/stack_maps.h"

using namespace profile;

namespace {

struct Stacks {
  StackMaps maps{{-1, -1}, 127};
  Profile profile;
  ProcessId process = profile.process(7, 1, "walked");

  void keep(std::uint32_t generation, std::uint64_t hash, const std::vector<std::uint64_t>& leaf_first) {
    maps.keep({.header = {.type = RING_STACK, .generation = generation}, .hash = hash}, leaf_first);
  }
  StackId read(std::uint32_t generation, std::uint64_t hash, int ended) {
    stack_key key{};
    key.user_stack = WALK_STACK | ended;
    key.user_hash = hash;
    return maps.read_user(profile, process, key, generation);
  }
  std::vector<std::uint64_t> addresses(StackId stack) {
    std::vector<std::uint64_t> all;
    for (const FrameId id : profile.stack(stack)) all.push_back(profile.frame(id).address.value);
    return all;
  }
};

}  // namespace

TEST_CASE("a stack is found by its hash, in the generation that it was sent in") {
  Stacks stacks;
  stacks.keep(1, 99, {0x10, 0x20});
  stacks.keep(0, 99, {0x30});
  CHECK(stacks.addresses(stacks.read(1, 99, WALK_ROOT)) == std::vector<std::uint64_t>{0x10, 0x20});
  stacks.maps.forget();
  CHECK(stacks.addresses(stacks.read(0, 99, WALK_ROOT)) == std::vector<std::uint64_t>{0x30});
  CHECK(stacks.read(0, 98, WALK_ROOT) == StackId::missed);
}

TEST_CASE("a generation that is cleared forgets its stacks and no others") {
  Stacks stacks;
  stacks.keep(0, 1, {0x10});
  stacks.keep(1, 1, {0x20});
  stacks.maps.clear(0, {});
  stacks.maps.forget();
  CHECK(stacks.read(0, 1, WALK_ROOT) == StackId::missed);
  stacks.maps.forget();
  CHECK(stacks.addresses(stacks.read(1, 1, WALK_ROOT)) == std::vector<std::uint64_t>{0x20});
}

TEST_CASE("why a stack ended is a part of it") {
  Stacks stacks;
  stacks.keep(0, 1, {0x10, 0x20});
  const StackId whole = stacks.read(0, 1, WALK_ROOT);
  CHECK(stacks.profile.end_of(whole) == StackEnd::root);
  CHECK(stacks.read(0, 1, WALK_ROOT_BY_FP) == whole);
  CHECK(stacks.profile.end_of(stacks.read(0, 1, WALK_NO_CFI)) == StackEnd::no_cfi);
  CHECK(stacks.profile.end_of(stacks.read(0, 1, WALK_ROOT | WALK_STACK_GUESSED)) == StackEnd::guessed);
  CHECK(stacks.profile.end_of(stacks.read(0, 1, WALK_NO_CFI | WALK_STACK_GUESSED)) == StackEnd::guessed);
}

TEST_CASE("all frames but the leaf are return addresses, unless a signal interrupted them") {
  Stacks stacks;
  stacks.keep(0, 1, {0x10, 0x20, 0x30 | WALK_INTERRUPTED, 0x40});
  std::vector<bool> returns;
  const StackId stack = stacks.read(0, 1, WALK_ROOT);
  for (const FrameId id : stacks.profile.stack(stack)) returns.push_back(stacks.profile.frame(id).is_return);
  CHECK(returns == std::vector<bool>{false, true, false, true});
  CHECK(stacks.addresses(stack) == std::vector<std::uint64_t>{0x10, 0x20, 0x30, 0x40});
}
