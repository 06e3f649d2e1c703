// What an instruction of any machine does, as far as the beginning of a function needs it: where the next one begins,
// and what goes from which register to which place.
#pragma once

#include <cstddef>
#include <cstdint>

namespace profile {

// General registers have their numbers in machine code.
constexpr std::size_t most_registers = 32;
// Where code says 0 in place of a register.
constexpr std::uint8_t zero_register = most_registers;

struct MachineInstruction {
  enum class Kind : std::uint8_t {
    other,
    move,         // 8 bytes from `reg` to `to`
    address,      // of the memory operand, to `to`
    store,        // `store_bytes` to the memory operand
    conditional,  // a jump
    leaves        // a jump, a call, a return: execution goes on elsewhere
  };
  Kind kind = Kind::other;
  std::uint8_t bytes = 0;  // of the instruction
  std::uint8_t reg = 0;
  std::uint8_t to = 0;
  bool tests = false;        // whether `reg` is 0: for the next instruction, or for this one if it is conditional
  bool of_register = false;  // store: from a register, which is `reg` if is_general is set
  bool is_general = false;   // store: from a general register, with all its bits
  bool is_pair = false;      // store: as many bytes of `second` follow behind the first ones
  std::uint8_t second = 0;
  std::uint8_t store_bytes = 0;
  // The memory operand.
  bool has_base = false;  // it is base + displacement, and nothing more
  std::uint8_t base = 0;
  std::int32_t displacement = 0;
  std::int32_t raises_base = 0;  // how far the base register goes up, after it was used
  // How far the stack pointer goes down, before it is the base of anything.
  std::int64_t lowers_stack = 0;
  // Bits of the general registers that may have changed in another way than those two say.
  std::uint32_t changed = 0;
};

}  // namespace profile
