// Reads the machine code of x86-64, one instruction at a time, as far as the beginning of a function needs it. Pure;
// unknown instructions are an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "interpret/machine_instruction.h"

namespace profile {

// By their numbers in machine code.
enum X86Register : std::uint8_t { x86_rax, x86_rcx, x86_rdx, x86_rbx, x86_rsp, x86_rbp, x86_rsi, x86_rdi };

// The instruction at the beginning of `code`. nullopt: it is unknown or cut off.
[[nodiscard]] std::optional<MachineInstruction> x86_instruction(std::span<const std::byte> code);

}  // namespace profile
