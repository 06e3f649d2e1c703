// Reads the machine code of arm64, one instruction at a time, as far as the beginning of a function needs it. Pure;
// unknown instructions are an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "interpret/machine_instruction.h"

namespace profile {

// By their numbers in machine code, which are DWARF's, too. Where sp cannot be meant, 31 says 0: zero_register.
enum Arm64Register : std::uint8_t { arm64_x0 = 0, arm64_fp = 29, arm64_link = 30, arm64_sp = 31 };

// The instruction at the beginning of `code`. nullopt: it is unknown or cut off.
[[nodiscard]] std::optional<MachineInstruction> arm64_instruction(std::span<const std::byte> code);

// Where a jump leads that is no call, in bytes from its own place. nullopt: the number is no such jump, or that depends
// on a register.
[[nodiscard]] std::optional<std::int64_t> arm64_jump(std::uint32_t word);

}  // namespace profile
