// The user stack of a process that does not run: followed along its frame pointers from outside, for the few stacks
// that no BPF program can take.
#pragma once

#include <cstdint>
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

// Leaf first, at most `max_depth` frames; the first is the instruction, the others are return addresses. Reads the
// memory of process `tgid` and trusts nothing it finds there. Ends where the chain does, or where memory cannot be
// read.
[[nodiscard]] std::vector<std::uint64_t> walk_user_stack(std::uint32_t tgid, const UserRegisters& registers,
                                                         std::size_t max_depth,
                                                         std::uint64_t address_bits = code_address_bits());

}  // namespace profile
