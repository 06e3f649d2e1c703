// Compressed debug sections (SHF_COMPRESSED, .zdebug_): zlib's and zstd's streams, to a length known beforehand.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace profile {

// Fills `out` with exactly its size; false when the stream is damaged or holds less. What it holds beyond is left.
[[nodiscard]] bool inflate_zlib(std::span<const std::byte> packed, std::span<std::byte> out);
[[nodiscard]] bool inflate_zstd(std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace profile
