// A large zlib stream, read at any place without ever being held whole: Debian compresses the sections of its debug
// files, and unpacked they are hundreds of megabytes. The decompressor's state is kept at intervals, so that a place is
// reached from the last state before it, and the blocks used last are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace profile {

class PackedBytes {
 public:
  // `packed_bytes` of the file from `offset` on, which unpack to `size_bytes`. `fd` stays the caller's and must outlive
  // this.
  PackedBytes(int fd, std::uint64_t offset, std::uint64_t packed_bytes, std::uint64_t size_bytes);
  ~PackedBytes();
  PackedBytes(PackedBytes&&) noexcept;
  PackedBytes& operator=(PackedBytes&&) noexcept;

  // Fills `out`; false when the stream does not have all of it, is damaged, or has been jumped about in so often that
  // more would take for ever.
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profile
