// Tests what is read from the verifier's log, and how much stack a chain of functions takes.
#include "support/verifier.h"

#include <doctest/doctest.h>

namespace profile {
namespace {

bpf_insn call_of(int distance) {
  bpf_insn insn{};
  insn.code = BPF_JMP | BPF_CALL;
  insn.src_reg = BPF_PSEUDO_CALL;
  insn.off = static_cast<__s16>(distance);
  return insn;
}

bpf_insn mention_of(int distance) {
  bpf_insn insn{};
  insn.code = BPF_LD | BPF_IMM | BPF_DW;
  insn.src_reg = BPF_PSEUDO_FUNC;
  insn.imm = distance;
  return insn;
}

TEST_CASE("a log with only statistics is no refusal") {
  constexpr const char* log =
      "verification time 112 usec\nstack depth 200+32+0\nprocessed 45214 insns (limit 1000000) max_states_per_insn 1\n";
  CHECK(refusal_in(log).empty());
  CHECK(verified_instructions_in(log) == 45214);
  CHECK(stack_depths_in(log) == std::vector<std::uint32_t>{200, 32, 0});
  CHECK(refusal_in("").empty());
  CHECK(stack_depths_in("").empty());
  CHECK(verified_instructions_in("processed many insns") == 0);
}

TEST_CASE("the stack of each function is read from the separate lines of Linux 7") {
  constexpr const char* log =
      "verification time 236616 usec\nstack depth max 240\n"
      "subprog 0 (on_sample) main insns_self 322 insns_total 402 stack 136\n"
      "subprog 1 (flush) global insns_self 80 insns_total 80 stack 96\nprocessed 402 insns (limit 1000000)\n";
  CHECK(stack_depths_in(log) == std::vector<std::uint32_t>{136, 96});
  CHECK(refusal_in(log).empty());
}

TEST_CASE("the refusal is the last line without statistics") {
  CHECK(refusal_in("func#1 @20\ninfinite loop detected at insn 60\nverification time 1 usec\nprocessed 3 insns\n") ==
        "infinite loop detected at insn 60");
  CHECK(refusal_in("R0 unbounded memory access") == "R0 unbounded memory access");
}

TEST_CASE("the stack depth is that of the deepest chain of calls") {
  // The first function calls the second and the third, and the third refers to the fourth.
  LoadedProgram program;
  program.instructions.resize(9);
  program.functions = {0, 3, 5, 7};
  program.instructions[0] = call_of(2);
  program.instructions[1] = call_of(3);
  program.instructions[5] = mention_of(1);
  CHECK(stack_over_calls(program, std::vector<std::uint32_t>{100, 40, 8, 16}) == 128 + 64);
  CHECK(stack_over_calls(program, std::vector<std::uint32_t>{100, 0, 33, 16}) == 128 + 64 + 32);
}

TEST_CASE("the stacks of all functions are added up if the functions do not match the log") {
  LoadedProgram program;
  program.instructions.resize(4);
  program.functions = {0, 2};
  CHECK(stack_over_calls(program, std::vector<std::uint32_t>{100, 40, 8}) == 128 + 64 + 32);
  program.functions = {0, 9, 12};
  CHECK(stack_over_calls(program, std::vector<std::uint32_t>{100, 40, 8}) == 128 + 64 + 32);
  CHECK(stack_over_calls({}, {}) == 0);
}

}  // namespace
}  // namespace profile
