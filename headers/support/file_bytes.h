// The bytes of an open file, or of memory that is read as if it were one: our own vDSO, what was unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace profile {

class FileBytes {
 public:
  FileBytes() = default;
  // `fd` stays the caller's and must outlive this and its copies; what is written behind its end later is not read.
  // Without bytes where it cannot be examined: errno says why.
  FileBytes(int fd);  // NOLINT(google-explicit-constructor): whoever reads files mostly has one open
  // The memory stays the caller's, too.
  explicit FileBytes(std::span<const std::byte> memory) : memory_(memory.data()), size_bytes_(memory.size()) {}

  // Can be read, though it may be empty.
  explicit operator bool() const { return fd_ >= 0 || memory_ != nullptr; }
  // -1: none, it is memory.
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // How much of a WorkBudget a byte is: most of a file that is mostly holes is made by the kernel when it is read.
  [[nodiscard]] std::uint64_t steps_a_byte() const { return steps_a_byte_; }
  // Fills `out` from `offset` on; false when there is not all of it.
  [[nodiscard]] bool read_at(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  int fd_ = -1;
  const std::byte* memory_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t steps_a_byte_ = 1;
};

}  // namespace profile
