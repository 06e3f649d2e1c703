#include "symbol/inflate.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>

namespace profile {

bool inflate_zlib(std::span<const std::byte> packed, std::span<std::byte> out) {
  z_stream stream{};
  if (::inflateInit(&stream) != Z_OK) return false;
  int status = Z_OK;
  while (status == Z_OK && !out.empty()) {
    // The library counts in 32 bits.
    const std::size_t in_bytes = std::min<std::size_t>(packed.size(), UINT_MAX);
    const std::size_t out_bytes = std::min<std::size_t>(out.size(), UINT_MAX);
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    stream.avail_in = static_cast<uInt>(in_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out_bytes);
    status = ::inflate(&stream, Z_NO_FLUSH);
    packed = packed.subspan(in_bytes - stream.avail_in);
    out = out.subspan(out_bytes - stream.avail_out);
  }
  ::inflateEnd(&stream);
  return out.empty();
}

bool inflate_zstd(std::span<const std::byte> packed, std::span<std::byte> out) {
  return ::ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
}

}  // namespace profile
