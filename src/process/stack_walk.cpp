#include "process/stack_walk.h"

#include <sys/uio.h>

#include <cstring>

namespace profile {
std::uint64_t code_address_bits() {
#ifdef __aarch64__
  // The CPU strips the widest signature, because it knows how many bits the kernel gave to addresses. On a CPU that
  // signs nothing, the instruction does nothing.
  std::uint64_t bits = UINT64_MAX >> 9;
  __asm__("mov x30, %0\n\thint #7\n\tmov %0, x30" : "+r"(bits) : : "x30");  // xpaclri
  return bits;
#else
  return UINT64_MAX;
#endif
}

std::string copy_of_stack(std::uint32_t tgid, RuntimeAddress stack_pointer, std::size_t most_bytes) {
  std::string copy(most_bytes, '\0');
  const iovec local{.iov_base = copy.data(), .iov_len = copy.size()};
  // Stops at the first page that is not there, so the copy may be shorter. The interface wants a pointer, but this is
  // only a number: an address in another process.
  void* const there = reinterpret_cast<void*>(stack_pointer.value);  // NOLINT(performance-no-int-to-ptr)
  const iovec remote{.iov_base = there, .iov_len = copy.size()};
  const ssize_t got = ::process_vm_readv(static_cast<pid_t>(tgid), &local, 1, &remote, 1, 0);
  copy.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return copy;
}

std::vector<std::uint64_t> walk_user_stack(const UserRegisters& registers, std::string_view stack,
                                           std::size_t max_depth, std::uint64_t address_bits) {
  std::vector<std::uint64_t> frames;
  if (max_depth == 0 || registers.instruction.value == 0) return frames;
  frames.push_back(registers.instruction.value);
  std::uint64_t frame = registers.frame_pointer.value;
  // Each frame lies above the frame before it, and none lies below the top of the stack.
  std::uint64_t lowest = registers.stack_pointer.value;
  while (frames.size() < max_depth && frame >= lowest && frame % sizeof frame == 0) {
    std::uint64_t words[2];  // the caller's frame pointer and the return address
    const std::uint64_t at = frame - registers.stack_pointer.value;
    if (at > stack.size() || stack.size() - at < sizeof words) break;
    std::memcpy(words, stack.data() + at, sizeof words);
    const auto [caller_frame, return_address] = words;
    if (return_address == 0) break;
    frames.push_back(return_address & address_bits);
    lowest = frame + sizeof words;
    frame = caller_frame;
  }
  return frames;
}

}  // namespace profile
