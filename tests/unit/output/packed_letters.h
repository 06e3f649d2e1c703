// Reads back what a page packs: gzip in base64.
#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace profile {

// Decodes base64.
inline std::string bytes_of_letters(std::string_view letters) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  REQUIRE(letters.size() % 4 == 0);
  std::string bytes;
  for (std::size_t at = 0; at < letters.size(); at += 4) {
    std::uint32_t bits = 0;
    std::size_t filled = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const char letter = letters[at + i];
      const std::size_t value = letter == '=' ? 0 : alphabet.find(letter);
      REQUIRE(value != std::string_view::npos);
      bits = bits << 6 | static_cast<std::uint32_t>(value);
      if (letter != '=') ++filled;
    }
    for (std::size_t i = 0; i + 1 < filled; ++i) bytes += static_cast<char>(bits >> (16 - 8 * i) & 255);
  }
  return bytes;
}

inline std::string gunzipped(const std::string& packed, std::size_t most_bytes) {
  std::string text(most_bytes, '\0');
  z_stream stream{};
  REQUIRE(::inflateInit2(&stream, 15 + 16) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  REQUIRE(::inflate(&stream, Z_FINISH) == Z_STREAM_END);
  text.resize(stream.total_out);
  ::inflateEnd(&stream);
  return text;
}

}  // namespace profile
