// A large zlib stream, read at any place without ever being held whole: Debian compresses the sections of its debug
// files, and unpacked they are hundreds of megabytes. The decompressor's state is kept at intervals, so that a place is
// reached from the last state before it, and the blocks used last are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "support/file_bytes.h"

namespace profile {

class SeekableZlib {
 public:
  // `packed_bytes` of the file from `offset` on, which unpack to `size_bytes`.
  SeekableZlib(const FileBytes& file, std::uint64_t offset, std::uint64_t packed_bytes, std::uint64_t size_bytes);
  ~SeekableZlib();
  SeekableZlib(SeekableZlib&&) noexcept;
  SeekableZlib& operator=(SeekableZlib&&) noexcept;

  // Fills `out`; false when the stream does not have all of it, is damaged, or has been jumped about in so often that
  // more would take for ever.
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Compressed debug sections (SHF_COMPRESSED, .zdebug_): zlib's and zstd's streams, to a length known beforehand.
// Fills `out` with exactly its size; false when the stream is damaged or holds less. What it holds beyond is left.
[[nodiscard]] bool inflate_zlib(std::span<const std::byte> packed, std::span<std::byte> out);
[[nodiscard]] bool inflate_zstd(std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace profile
