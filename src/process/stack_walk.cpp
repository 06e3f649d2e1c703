#include "process/stack_walk.h"

#include <sys/uio.h>

#include <cstring>

namespace profile {
namespace {

// Most chains lie within this much of the stack, so one read fetches them.
constexpr std::size_t window_bytes = 16384;

// Memory of another process, read a window at a time.
class StackMemory {
 public:
  explicit StackMemory(std::uint32_t tgid) : tgid_(static_cast<pid_t>(tgid)) {}

  // Two words at `address`: the caller's frame pointer and the return address. False when they cannot be read.
  bool read(std::uint64_t address, std::uint64_t (&words)[2]) {
    if (address < begin_ || address - begin_ > size_ || size_ - (address - begin_) < sizeof words) {
      if (!fetch(address)) return false;
    }
    std::memcpy(words, buffer_.data() + (address - begin_), sizeof words);
    return true;
  }

 private:
  bool fetch(std::uint64_t address) {
    buffer_.resize(window_bytes);
    begin_ = address;
    const iovec local{.iov_base = buffer_.data(), .iov_len = buffer_.size()};
    // Stops at the first page that is not there, so what comes may be less.
    // The interface wants a pointer for what is only a number here: an address of somebody else's.
    void* const there = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
    const iovec remote{.iov_base = there, .iov_len = buffer_.size()};
    const ssize_t got = ::process_vm_readv(tgid_, &local, 1, &remote, 1, 0);
    size_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    return size_ >= 2 * sizeof(std::uint64_t);
  }

  pid_t tgid_;
  std::vector<char> buffer_;
  std::uint64_t begin_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

std::uint64_t code_address_bits() {
#ifdef __aarch64__
  // The widest signature, taken off by the CPU, which knows how many bits the kernel gave to addresses; one that signs
  // nothing does nothing.
  std::uint64_t bits = UINT64_MAX >> 9;
  __asm__("mov x30, %0\n\thint #7\n\tmov %0, x30" : "+r"(bits) : : "x30");  // xpaclri
  return bits;
#else
  return UINT64_MAX;
#endif
}

std::vector<std::uint64_t> walk_user_stack(std::uint32_t tgid, const UserRegisters& registers, std::size_t max_depth,
                                           std::uint64_t address_bits) {
  std::vector<std::uint64_t> frames;
  if (max_depth == 0 || registers.instruction.value == 0) return frames;
  frames.push_back(registers.instruction.value);
  StackMemory memory(tgid);
  std::uint64_t frame = registers.frame_pointer.value;
  // Frames lie one above the other, and not below the top of the stack.
  std::uint64_t lowest = registers.stack_pointer.value;
  while (frames.size() < max_depth && frame >= lowest && frame % sizeof frame == 0) {
    std::uint64_t words[2];
    if (!memory.read(frame, words)) break;
    const auto [caller_frame, return_address] = words;
    if (return_address == 0) break;
    frames.push_back(return_address & address_bits);
    lowest = frame + sizeof words;
    frame = caller_frame;
  }
  return frames;
}

}  // namespace profile
