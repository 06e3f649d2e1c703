// The user stack of a process that does not run: read and followed along its frame pointers from outside, for the few
// stacks that no BPF program can take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/address.h"

namespace profile {

// The registers of a thread as it entered the kernel.
struct UserRegisters {
  RuntimeAddress instruction;
  RuntimeAddress stack_pointer;
  RuntimeAddress frame_pointer;
};

// The bits of a code address. In the others arm64 may keep a signature of it while it lies on a stack.
[[nodiscard]] std::uint64_t code_address_bits();

// From the stack pointer on, as far as the memory of process `tgid` can be read, but at most so much.
[[nodiscard]] std::string copy_of_stack(std::uint32_t tgid, RuntimeAddress stack_pointer, std::size_t most_bytes);

// Leaf first, at most `max_depth` frames; the first is the instruction, the others are return addresses. Trusts nothing
// that it finds in `stack`, which begins at the stack pointer, and ends where the chain or the copy does.
[[nodiscard]] std::vector<std::uint64_t> walk_user_stack(const UserRegisters& registers, std::string_view stack,
                                                         std::size_t max_depth,
                                                         std::uint64_t address_bits = code_address_bits());

}  // namespace profile
