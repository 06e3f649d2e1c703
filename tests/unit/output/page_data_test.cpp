// Tests the data of a page: small data is JSON, and large data is gzip in base64.
#include "output/page_data.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <sstream>
#include <string>
#include <string_view>

namespace profile {
namespace {

// Decodes base64.
std::string bytes_of(std::string_view letters) {
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

std::string gunzipped(const std::string& packed, std::size_t most_bytes) {
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

std::string written(const std::string& text, std::size_t at_once) {
  std::ostringstream out;
  PageData data(out);
  for (std::size_t at = 0; at < text.size(); at += at_once) {
    if (at_once == 1) {
      data.json().put(text[at]);
    } else {
      data.json() << std::string_view(text).substr(at, at_once);
    }
  }
  data.finish();
  return std::move(out).str();
}

TEST_CASE("the data of a small page is the plain JSON") {
  CHECK(written("", 7).empty());
  const std::string text(PageData::plain_bytes, 'x');
  CHECK(written(text, 1000) == text);
}

TEST_CASE("the data of a large page is compressed, for every size of the writes") {
  for (std::size_t more = 1; more <= 6; ++more) {
    std::string text;
    for (std::size_t i = 0; text.size() < PageData::plain_bytes + more; ++i) text += std::to_string(i * i) + ",";
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{1000}, text.size()}) {
      const std::string page = written(text, at_once);
      CHECK(page.size() < text.size() * 3 / 4);
      REQUIRE(page.starts_with(R"(["gzip",")"));
      REQUIRE(page.ends_with(R"("])"));
      const std::string_view letters = std::string_view(page).substr(9, page.size() - 11);
      CHECK(gunzipped(bytes_of(letters), text.size() + 1) == text);
    }
  }
}

}  // namespace
}  // namespace profile
