// What the kernel's verifier says of the programs of a BPF object: what it has looked at and how deep the stack gets,
// which are our budget, or why it refuses one, which is a defect of ours.
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

// The last line of a log that says something of the program; empty when the verifier has nothing against it.
[[nodiscard]] std::string_view refusal_in(std::string_view log);
// From "processed 1234 insns".
[[nodiscard]] std::uint64_t verified_instructions_in(std::string_view log);
// Of each function, from "stack depth 304+112", or the lines "subprog 0 (on_sample) ... stack 304" of newer kernels.
[[nodiscard]] std::vector<std::uint32_t> stack_depths_in(std::string_view log);
// As the kernel shows it, compiled.
struct LoadedProgram {
  std::vector<bpf_insn> instructions;
  std::vector<std::size_t> functions;  // where each begins among the instructions
};
// The most that functions which call each other take together, each as the kernel rounds it; where the functions are
// not those of `depths`, all of them together.
[[nodiscard]] std::uint32_t stack_over_calls(const LoadedProgram& program, std::span<const std::uint32_t> depths);

// Has the verifier write its statistics, and its refusal, for every program of an object that is going to be loaded.
class VerifierLogs {
 public:
  explicit VerifierLogs(bpf_object& object);

  struct Refusal {
    std::string program;
    std::string reason;
  };
  // After loading has failed; nullopt when it was not the verifier's doing.
  [[nodiscard]] std::optional<Refusal> refusal() const;
  // After loading: "verifier: PROGRAM: N instructions, S bytes of stack", a line for each program.
  [[nodiscard]] std::vector<std::string> costs() const;

 private:
  struct Log {
    bpf_program* program;
    std::unique_ptr<char[]> text;  // the kernel writes it
  };
  std::vector<Log> logs_;
};

}  // namespace profile
