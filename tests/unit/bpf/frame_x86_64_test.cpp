// Tests the walk of stacks by the rules of x86-64, on any machine. The code is the BPF program's own text, compiled
// here.
#define WALK_OF_X86_64
#include "frame_cases.h"

namespace {

void walk_through_trampoline() {
  using Program = profile::WalkedProgram;
  constexpr std::uint64_t root_function = 0x400000;
  constexpr std::uint64_t function = 0x410000;
  constexpr std::uint64_t trampoline = 0x700000;
  constexpr std::uint64_t top = 0x7ffe00000000;
  for (const std::uint64_t code : {std::uint64_t{0xc308c48348}, std::uint64_t{0xc310c48348}}) {
    WalkHost here;
    host = &here;
    Program& program = here.program;
    program.add(root_function, program.add_root());
    program.add(function, UNWIND_SHORT | 2 << UNWIND_SHORT_CFA_SHIFT);
    program.add(trampoline, Program::Kind::plain);
    program.make_readable(top - 0x1000, top);
    here.stack_end = top;
    program.put(trampoline + 16, code);
    // Two functions with 16 bytes of stack, and the trampoline with as many between them.
    program.put(top - 64 + 8, trampoline + 16);
    program.put(top - 48 + 8, function + 8);
    program.put(top - 32 + 8, root_function + 8);
    walk& walk = here.walk;
    walk.pc = function + 8;
    walk.sp = top - 64;
    walk.fp = 0x1234560;  // data
    walk.was_interrupted = 1;
    walk.start_stack = top;
    begin_hash(&walk);
    begin_scripts(&walk);
    enter_space(&walk);
    walk_config.mode = WALK_AUTO;
    walk_config.depth = WALK_MOST_FRAMES;
    walk_config.languages = 0;
    const bool is_known = code == 0xc308c48348;
    CHECK((walk_frames(0) == WALK_ROOT) == is_known);
    CHECK(walk.depth == (is_known ? 4 : 2));
  }
}

}  // namespace

TEST_CASE("a stack of x86-64 is walked to its root, whatever its functions do with their registers") {
  walk_made_stacks();
}
TEST_CASE("a walk of x86-64 passes a return probe") {
  walk_through_return_probe(Way::by_fp);
  walk_through_return_probe(Way::long_rule);
}
TEST_CASE("a walk of x86-64 notes the first frame whose table is missing") { note_where_a_table_is_missing(); }
TEST_CASE("a walk of x86-64 leaves a trampoline of Python by its one shape, whatever the frame pointer is") {
  walk_through_trampoline();
}
