// Reads a large zlib stream at any place and never holds it whole. Debian compresses the sections of its debug files,
// and they unpack to hundreds of megabytes. The decompressor's state is kept at intervals, so that any place can be
// reached from the last state before it; the blocks used last are kept, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "support/file_bytes.h"
#include "support/work_budget.h"

namespace profile {

class SeekableZlib {
 public:
  // Reads `packed_bytes` of the file from `offset` on, which unpack to `size_bytes`.
  SeekableZlib(const FileBytes& file, std::uint64_t offset, std::uint64_t packed_bytes, std::uint64_t size_bytes);
  ~SeekableZlib();
  SeekableZlib(SeekableZlib&&) noexcept;
  SeekableZlib& operator=(SeekableZlib&&) noexcept;

  // From now on unpacking is paid for, and fails when `budget` is spent. It must outlive this.
  void pay_from(WorkBudget* budget);
  // Fills `out`. False when the stream does not have all of it, is damaged, or has been read out of order so often that
  // more would take too long.
  [[nodiscard]] bool read(std::uint64_t offset, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What it costs to unpack so many bytes to `size_bytes`, in steps of WorkBudget. A packed byte may be a part of the
// description of a code, from which the decompressor makes large tables.
[[nodiscard]] constexpr std::uint64_t unpack_steps(std::uint64_t packed_bytes, std::uint64_t size_bytes) {
  return 12 * packed_bytes + 2 * size_bytes;
}

// Unpack compressed debug sections (SHF_COMPRESSED, .zdebug_), zlib or zstd, to a length known beforehand. They fill
// all of `out`. False when the stream is damaged or holds less. More data in the stream is ignored.
[[nodiscard]] bool inflate_zlib(std::span<const std::byte> packed, std::span<std::byte> out);
[[nodiscard]] bool inflate_zstd(std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace profile
