// Copies the user stack of a process that does not run, and follows its frame pointers there. It is for the few stacks
// that no BPF program can take.
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

// The bits that belong to a code address. In the other bits arm64 may keep a signature of the address while it lies on
// a stack.
[[nodiscard]] std::uint64_t code_address_bits();

// Copies from the stack pointer on, as far as the memory of process `tgid` can be read, but at most `most_bytes`.
[[nodiscard]] std::string copy_of_stack(std::uint32_t tgid, RuntimeAddress stack_pointer, std::size_t most_bytes);

// Returns at most `max_depth` frames, leaf first. The first is the instruction, the others are return addresses.
// `stack` begins at the stack pointer, and nothing in it is trusted. The result ends where the frame-pointer chain or
// the copy ends.
[[nodiscard]] std::vector<std::uint64_t> walk_user_stack(const UserRegisters& registers, std::string_view stack,
                                                         std::size_t max_depth,
                                                         std::uint64_t address_bits = code_address_bits());

}  // namespace profile
