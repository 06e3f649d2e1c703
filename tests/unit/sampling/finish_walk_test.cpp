// Tests walks that continue in the copy of a stack. They use the tables that have arrived since, and never read outside
// of the copy.
#define WALK_OF_X86_64
#include "finish_cases.h"

namespace {

using Kind = WalkedProgram::Kind;

// The caller's frame begins `words` words above the stack pointer; the return address is in the word below.
std::uint32_t short_rule(std::uint32_t words) { return UNWIND_SHORT | words << UNWIND_SHORT_CFA_SHIFT; }

// With rules that have no short form.
class Code : public WalkedProgram {
 public:
  Code() : WalkedProgram(UNIT_SHIFT) {
    unwind_rule signal{};
    signal.cfa = UNWIND_CFA_REGISTER;
    signal.cfa_register = REGISTER_SP;
    signal.ra = UNWIND_AT_CFA;
    signal.flags = UNWIND_SIGNAL;
    signal.cfa_offset = 16;
    signal.ra_offset = -8;
    signal_rule = add_rule(signal);
  }
  std::uint32_t root_rule = add_root();
  std::uint32_t signal_rule = 0;
};

constexpr std::uint64_t stack_at = 0x7ffe0000;
constexpr std::uint64_t leaf = 0x10000;
constexpr std::uint64_t middle = 0x20000;
constexpr std::uint64_t outer = 0x30000;

std::unique_ptr<ring_unfinished> begun_with(const std::vector<std::uint64_t>& stack) {
  auto begun = std::make_unique<ring_unfinished>();
  begun->stuck.pc = leaf + 8;
  begun->stuck.sp = stack_at;
  begun->stuck.depth = 1;
  begun->stuck.was_interrupted = 1;
  begun->bytes = static_cast<__u32>(stack.size() * sizeof stack[0]);
  if (!stack.empty()) std::memcpy(begun->stack, stack.data(), begun->bytes);
  return begun;
}
FinishedWalk finish(const ring_unfinished& begun, Code& code, std::uint32_t most_frames = 512) {
  return finish_in_copy(begun, code, false, most_frames);
}

using Frames = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a walk continues by the rules of the tables up to the root") {
  Code code;
  code.add(leaf, short_rule(1));
  code.add(middle, short_rule(3));
  code.add(outer, code.root_rule);
  const auto begun = begun_with({middle + 5, 1, 2, outer + 7});
  const FinishedWalk finished = finish(*begun, code);
  CHECK(finished.callers == Frames{middle + 5, outer + 7});
  CHECK(finished.end == WALK_ROOT);
  CHECK_FALSE(finished.is_waiting);
  CHECK_FALSE(finished.is_guessed);
  SUBCASE("or as deep as asked") {
    const FinishedWalk cut = finish(*begun, code, 2);
    CHECK(cut.callers == Frames{middle + 5});
    CHECK(cut.end == WALK_TOO_DEEP);
  }
}

TEST_CASE("an address that a signal interrupted is no return address") {
  Code code;
  code.add(leaf, code.signal_rule);
  code.add(outer, code.root_rule);
  // The signal interrupts `outer` at its first byte. The byte before it belongs to another function.
  const FinishedWalk finished = finish(*begun_with({0, outer}), code);
  CHECK(finished.callers == Frames{outer | WALK_INTERRUPTED});
  CHECK(finished.end == WALK_ROOT);
}

TEST_CASE("a walk that meets another missing table can be tried again") {
  Code code;
  code.add(leaf, short_rule(1));
  code.add(middle, Kind::waiting);
  const auto begun = begun_with({middle + 5, outer + 7});
  CHECK(finish(*begun, code).is_waiting);
  code.add(middle, short_rule(1));
  code.add(outer, code.root_rule);
  CHECK(finish(*begun, code).callers == Frames{middle + 5, outer + 7});
}

TEST_CASE("a walk passes code without a table by the frame pointer, and this is a guess if no call is visible") {
  Code code;
  code.add(leaf, Kind::plain);
  code.add(outer, code.root_rule);
  const auto begun = begun_with({0, 0, stack_at + 32, outer + 7});
  begun->stuck.fp = stack_at + 16;
  const FinishedWalk finished = finish(*begun, code);
  CHECK(finished.callers == Frames{outer + 7});
  CHECK(finished.is_guessed);
  const FinishedWalk alone = finish_in_copy(*begun, code, true, 512);
  CHECK(alone.callers.empty());
  CHECK(alone.end == WALK_NO_CFI);
}

TEST_CASE("a walk never reads outside of the copy of the stack") {
  Code code;
  code.add(leaf, short_rule(3));
  code.add(middle, short_rule(2));
  SUBCASE("a frame ends where the copy does") {
    CHECK(finish(*begun_with({0, 0, middle + 5}), code).callers.size() == 1);
  }
  SUBCASE("a word beyond the copy") { CHECK(finish(*begun_with({0, 0}), code).end == WALK_NOT_READABLE); }
  SUBCASE("no copy") { CHECK(finish(*begun_with({}), code).end == WALK_NOT_READABLE); }
  SUBCASE("half a word") {
    const auto begun = begun_with({0, 0, middle + 5});
    begun->bytes -= 4;
    CHECK(finish(*begun, code).end == WALK_NOT_READABLE);
  }
  SUBCASE("frame pointers everywhere") {
    code.add(leaf, Kind::plain);
    for (const std::uint64_t fp : {std::uint64_t{0}, std::uint64_t{8}, stack_at - 16, stack_at + 16, UINT64_MAX - 7}) {
      const auto begun = begun_with({0, 0, 0});
      begun->stuck.fp = fp;
      CHECK(finish(*begun, code).callers.empty());
    }
  }
  SUBCASE("a chain that leads back to itself") {
    code.add(leaf, Kind::plain);
    const auto begun = begun_with({stack_at, leaf + 8});
    begun->stuck.fp = stack_at;
    CHECK(finish(*begun, code).callers.size() < 512);
  }
  SUBCASE("a table that is not there") {
    code.add(leaf, Kind::table);
    const auto begun = begun_with({middle + 5});
    begun->stuck.pc = leaf + 0xfff;
    CHECK(finish(*begun, code).end != WALK_ROOT);
  }
}

TEST_CASE("a walk of x86-64 is finished from each of its frames") { finish_made_stacks(); }
