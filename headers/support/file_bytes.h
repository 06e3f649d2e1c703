// The bytes of an open file, or of memory that is read like a file: our own vDSO, or unpacked data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace profile {

class FileBytes {
 public:
  FileBytes() = default;
  // The caller owns `fd`; it must outlive this object and its copies. Bytes that are appended later are not read.
  // If the file cannot be examined, the object is false and errno says why.
  FileBytes(int fd);  // NOLINT(google-explicit-constructor): whoever reads files mostly has one open
  // The caller owns the memory; it must outlive this object and its copies.
  explicit FileBytes(std::span<const std::byte> memory) : memory_(memory.data()), size_bytes_(memory.size()) {}

  // True when it can be read; it may still be empty.
  explicit operator bool() const { return fd_ >= 0 || memory_ != nullptr; }
  // -1 when it is memory.
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // Steps of WorkBudget for one byte. More than 1 for a file that is mostly holes, because the kernel makes their pages
  // on each first read.
  [[nodiscard]] std::uint64_t steps_a_byte() const { return steps_a_byte_; }
  // Fills `out` from `offset` on. False when the file does not have all of it.
  [[nodiscard]] bool read_at(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  int fd_ = -1;
  const std::byte* memory_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t steps_a_byte_ = 1;
};

}  // namespace profile
