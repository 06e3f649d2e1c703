// Tests stacks that the BPF program walked and sent. They are kept by generation, found by hash, and have the reason
// for their end.
#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <vector>

#include "sampling/finish_walk.h"
#include "sampling/script_names.h"
#include "sampling/stack_maps.h"

using namespace profile;

namespace {

struct Stacks {
  ScriptNames names;
  StackMaps maps{{-1, -1}, 127, names};
  Profile profile;
  ProcessId process = profile.process(7, 1, "walked");

  void keep(std::uint32_t generation, std::uint64_t hash, const std::vector<std::uint64_t>& leaf_first) {
    maps.keep({.header = {.type = RING_STACK, .generation = generation}, .hash = hash}, leaf_first);
  }
  static stack_key key_of(std::uint32_t generation, std::uint64_t hash, int ended) {
    stack_key key{};
    key.user_stack = static_cast<int>(WALK_STACK | ended | generation << PROFILE_STACK_GENERATION_SHIFT);
    key.kernel_stack = -EFAULT;
    key.user_hash = hash;
    return key;
  }
  StackId read(std::uint32_t generation, std::uint64_t hash, int ended) {
    return maps.read_user(profile, process, key_of(generation, hash, ended));
  }
  void clear(std::uint32_t generation, const std::vector<stack_key>& held) {
    StackMaps::Held all;
    for (const stack_key& key : held) StackMaps::hold(key, generation, all);
    maps.clear(generation, all);
    maps.forget();
  }
  std::vector<std::uint64_t> addresses(StackId stack) {
    std::vector<std::uint64_t> all;
    for (const FrameId id : profile.stack(stack)) all.push_back(profile.frame(id).address.value);
    return all;
  }
};

}  // namespace

TEST_CASE("a stack is found by its hash in its own generation") {
  Stacks stacks;
  stacks.keep(1, 99, {0x10, 0x20});
  stacks.keep(0, 99, {0x30});
  CHECK(stacks.addresses(stacks.read(1, 99, WALK_ROOT)) == std::vector<std::uint64_t>{0x10, 0x20});
  stacks.maps.forget();
  CHECK(stacks.addresses(stacks.read(0, 99, WALK_ROOT)) == std::vector<std::uint64_t>{0x30});
  CHECK(stacks.read(0, 98, WALK_ROOT) == StackId::missed);
}

TEST_CASE("a cleared generation forgets only its own stacks") {
  Stacks stacks;
  stacks.keep(0, 1, {0x10});
  stacks.keep(1, 1, {0x20});
  stacks.clear(0, {});
  CHECK(stacks.read(0, 1, WALK_ROOT) == StackId::missed);
  stacks.maps.forget();
  CHECK(stacks.addresses(stacks.read(1, 1, WALK_ROOT)) == std::vector<std::uint64_t>{0x20});
}

TEST_CASE("an unfinished walk keeps its stack when the generation is cleared, and other stacks go") {
  Stacks stacks;
  stacks.keep(0, 1, {0x10});
  stacks.keep(0, 2, {0x20, 0x21});
  stacks.keep(0, 3, {0x30});
  stacks.clear(0, {Stacks::key_of(0, 2, WALK_ROOT), Stacks::key_of(1, 3, WALK_ROOT)});
  CHECK(stacks.read(0, 1, WALK_ROOT) == StackId::missed);
  CHECK(stacks.addresses(stacks.read(0, 2, WALK_ROOT)) == std::vector<std::uint64_t>{0x20, 0x21});
  CHECK(stacks.read(0, 3, WALK_ROOT) == StackId::missed);
  stacks.keep(0, 2, {0x20, 0x21});
  stacks.clear(0, {Stacks::key_of(0, 2, WALK_ROOT)});
  CHECK(stacks.addresses(stacks.read(0, 2, WALK_ROOT)) == std::vector<std::uint64_t>{0x20, 0x21});
  stacks.clear(0, {});
  CHECK(stacks.read(0, 2, WALK_ROOT) == StackId::missed);
}

TEST_CASE("callers that are found later follow the frame at which the walk stopped") {
  Stacks stacks;
  stacks.keep(1, 5, {0x10, 0x20, 0xbad});
  ring_unfinished begun{};
  begun.key = Stacks::key_of(1, 5, WALK_NO_TABLE_YET);
  begun.stuck.depth = 2;
  CHECK(stacks.profile.end_of(stacks.read(1, 5, WALK_NO_TABLE_YET)) == StackEnd::no_table_yet);
  stacks.maps.finish(begun, {.callers = {0x30, 0x40}, .end = WALK_ROOT});
  stacks.maps.forget();
  const StackId whole = stacks.read(1, 5, WALK_NO_TABLE_YET);
  CHECK(stacks.addresses(whole) == std::vector<std::uint64_t>{0x10, 0x20, 0x30, 0x40});
  CHECK(stacks.profile.end_of(whole) == StackEnd::root);
  stacks.clear(1, {begun.key});
  CHECK(stacks.read(1, 5, WALK_NO_TABLE_YET) == whole);
  begun.key.user_hash = 6;
  stacks.maps.finish(begun, {.callers = {}, .end = WALK_ROOT});
  CHECK(stacks.read(1, 6, WALK_NO_TABLE_YET) == StackId::missed);
}

TEST_CASE("the end of a walk is part of the stack that is read") {
  Stacks stacks;
  stacks.keep(0, 1, {0x10, 0x20});
  const StackId whole = stacks.read(0, 1, WALK_ROOT);
  CHECK(stacks.profile.end_of(whole) == StackEnd::root);
  CHECK(stacks.read(0, 1, WALK_ROOT_BY_FP) == whole);
  CHECK(stacks.profile.end_of(stacks.read(0, 1, WALK_NO_CFI)) == StackEnd::no_cfi);
  CHECK(stacks.profile.end_of(stacks.read(0, 1, WALK_ROOT | WALK_STACK_GUESSED)) == StackEnd::guessed);
  CHECK(stacks.profile.end_of(stacks.read(0, 1, WALK_NO_CFI | WALK_STACK_GUESSED)) == StackEnd::guessed);
}

TEST_CASE("all frames except the leaf are return addresses, unless a signal interrupted them") {
  Stacks stacks;
  stacks.keep(0, 1, {0x10, 0x20, 0x30 | WALK_INTERRUPTED, 0x40});
  std::vector<bool> returns;
  const StackId stack = stacks.read(0, 1, WALK_ROOT);
  for (const FrameId id : stacks.profile.stack(stack)) returns.push_back(stacks.profile.frame(id).is_return);
  CHECK(returns == std::vector<bool>{false, true, false, true});
  CHECK(stacks.addresses(stack) == std::vector<std::uint64_t>{0x10, 0x20, 0x30, 0x40});
}
