// Tests the walk of stacks by the rules of x86-64, on any machine. The code is the BPF program's own text, compiled
// here.
#define WALK_OF_X86_64
#include "frame_cases.h"

TEST_CASE("a stack of x86-64 is walked to its root, whatever its functions do with their registers") {
  walk_made_stacks();
}
TEST_CASE("a walk of x86-64 passes a return probe") {
  walk_through_return_probe(Way::by_fp);
  walk_through_return_probe(Way::long_rule);
}
TEST_CASE("a walk of x86-64 notes the first frame whose table is missing") { note_where_a_table_is_missing(); }
