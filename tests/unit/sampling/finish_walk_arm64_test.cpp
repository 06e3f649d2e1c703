// Tests walks that continue in the copy of a stack, by the rules of arm64, on any machine.
#define WALK_OF_ARM64
#include "finish_cases.h"

namespace {

constexpr std::uint64_t stack_at = 0x7ffe0000;
constexpr std::uint64_t leaf = 0x10000;
constexpr std::uint64_t outer = 0x30000;

// The caller's frame begins `words` words above the stack pointer. The frame pointer was saved `below` words below
// that, and the return address behind it; 0: both are in their registers.
std::uint32_t short_rule(std::uint32_t words, std::uint32_t below) {
  return UNWIND_SHORT | words << UNWIND_SHORT_CFA_SHIFT | below;
}

std::unique_ptr<ring_unfinished> begun_with(const std::vector<std::uint64_t>& stack) {
  auto begun = std::make_unique<ring_unfinished>();
  begun->stuck.pc = leaf + 8;
  begun->stuck.sp = stack_at;
  begun->stuck.depth = 1;
  begun->stuck.was_interrupted = 1;
  begun->bytes = static_cast<__u32>(stack.size() * sizeof stack[0]);
  std::memcpy(begun->stack, stack.data(), begun->bytes);
  return begun;
}

using Frames = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a walk of arm64 is finished from each of its frames") { finish_made_stacks(); }

TEST_CASE("the link register has the return address of an interrupted frame alone") {
  WalkedProgram code(UNIT_SHIFT);
  code.add(leaf, short_rule(2, 0));
  code.add(outer, code.add_root());
  const auto begun = begun_with({0, 0, 0});
  begun->stuck.extra = outer + 8;
  const FinishedWalk finished = finish_in_copy(*begun, code, false, 512);
  CHECK(finished.callers == Frames{outer + 8});
  CHECK(finished.end == WALK_ROOT);
  begun->stuck.was_interrupted = 0;
  CHECK(finish_in_copy(*begun, code, false, 512).end == WALK_NO_REGISTER);
}

TEST_CASE("a signature in a return address is removed") {
  WalkedProgram code(UNIT_SHIFT);
  code.add(leaf, short_rule(4, 3));
  code.add(outer, code.add_root());
  const auto begun = begun_with({0, 77, (outer + 8) | 0xabcdULL << 48, 0});
  CHECK(finish_in_copy(*begun, code, false, 512).callers == Frames{outer + 8});
}

TEST_CASE("a walk of arm64 never reads outside of the copy of the stack") {
  WalkedProgram code(UNIT_SHIFT);
  code.add(leaf, short_rule(4, 2));
  code.add(outer, short_rule(4, 2));
  CHECK(finish_in_copy(*begun_with({0, 0, 0}), code, false, 512).end == WALK_NOT_READABLE);
  const FinishedWalk finished = finish_in_copy(*begun_with({0, 0, 0, outer + 8}), code, false, 512);
  CHECK(finished.callers == Frames{outer + 8});
  CHECK(finished.end == WALK_NOT_READABLE);
}
