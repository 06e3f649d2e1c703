// Reads the machine code of x86-64, one instruction at a time, as far as the beginning of a function needs it: where
// the next instruction begins, and what goes from which register to which place. Pure; unknown instructions are an
// answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace profile {

// By their numbers in machine code.
enum X86Register : std::uint8_t { x86_rax, x86_rcx, x86_rdx, x86_rbx, x86_rsp, x86_rbp, x86_rsi, x86_rdi };
constexpr std::size_t x86_registers = 16;

struct X86Instruction {
  enum class Kind : std::uint8_t {
    other,
    push,         // `reg`
    subtract,     // `number` from `reg`
    move,         // 8 bytes from `reg` to `to`
    address,      // of the memory operand, to `to`
    store,        // `store_bytes` to the memory operand
    test,         // of `reg` with itself
    conditional,  // a jump by `number`, counted from the next instruction
    leaves        // a jump, a call, a return: execution goes on elsewhere
  };
  Kind kind = Kind::other;
  std::uint8_t bytes = 0;  // of the instruction
  std::uint8_t reg = 0;    // X86Register, also `to` and `base`
  std::uint8_t to = 0;
  bool of_register = false;  // store: from a register, which is `reg` if is_general is set
  bool is_general = false;   // store: from one of the 16 general registers, with all its bits
  std::uint8_t store_bytes = 0;
  std::int64_t number = 0;
  // The memory operand.
  bool has_base = false;  // it is base + displacement, and nothing more
  std::uint8_t base = 0;
  std::int32_t displacement = 0;
  // Bits of the general registers that may have changed. (`push` and `subtract` leave that of rsp out.)
  std::uint16_t changed = 0;
};

// The instruction at the beginning of `code`. nullopt: it is unknown or cut off.
[[nodiscard]] std::optional<X86Instruction> x86_instruction(std::span<const std::byte> code);

}  // namespace profile
