// Reads the log of the kernel's verifier about the programs of a BPF object. It says how many instructions the verifier
// has checked and how deep the stack is, which are our budget; or why it refuses a program, which is our defect.
#pragma once

#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct bpf_object;
struct bpf_program;

namespace profile {

// The last line of the log that is not a statistic. Empty when there is none.
[[nodiscard]] std::string_view refusal_in(std::string_view log);
// Reads "processed 1234 insns".
[[nodiscard]] std::uint64_t verified_instructions_in(std::string_view log);
// The stack of each function in bytes, from "stack depth 304+112", or from the lines "subprog 0 (on_sample) ... stack
// 304" of newer kernels.
[[nodiscard]] std::vector<std::uint32_t> stack_depths_in(std::string_view log);
// The program as the kernel shows it after compiling.
struct LoadedProgram {
  std::vector<bpf_insn> instructions;
  std::vector<std::size_t> functions;  // the index of each one's first instruction
};
// The bytes of stack of the deepest chain of calls, each function rounded up as the kernel does. If `depths` does not
// fit the program's functions, the sum of all.
[[nodiscard]] std::uint32_t stack_over_calls(const LoadedProgram& program, std::span<const std::uint32_t> depths);

// Makes the verifier log its statistics, and its refusal, for each program of `object`. Create it before the load.
class VerifierLogs {
 public:
  explicit VerifierLogs(bpf_object& object);

  struct Refusal {
    std::string program;
    std::string reason;
  };
  // Call it after a failed load. nullopt when the verifier did not refuse.
  [[nodiscard]] std::optional<Refusal> refusal() const;
  // Call it after a load. One line for each program: "verifier: PROGRAM: N instructions, S bytes of stack".
  [[nodiscard]] std::vector<std::string> costs() const;

 private:
  struct Log {
    bpf_program* program;
    std::unique_ptr<char[]> text;  // the kernel writes it during the load
  };
  std::vector<Log> logs_;
};

}  // namespace profile
