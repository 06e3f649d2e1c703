// Writes the data of a page. Small data is plain JSON, so that people can read it; large data is gzip in base64, which
// halves the page of a large profile.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "output/gzip.h"

namespace profile {

// A buffer without an area of its own: xsputn() gets all bytes.
class DirectBuffer : public std::streambuf {
 protected:
  int_type overflow(int_type byte) final {
    if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
    const char one = traits_type::to_char_type(byte);
    xsputn(&one, 1);
    return byte;
  }
};

// Writes bytes to a stream as base64. Base64 letters need no escapes in a JSON string.
class Base64Buffer final : public DirectBuffer {
 public:
  // `out` must outlive this object.
  explicit Base64Buffer(std::ostream& out) : out_(out) {}
  // Writes the last, incomplete group of three bytes. Write nothing after it.
  void finish();

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  std::ostream& out_;
  std::string waiting_;  // the bytes of an incomplete group
};

// Writes bytes to a stream as gzip in base64.
class PackedLetters {
 public:
  // `out` must outlive this object.
  explicit PackedLetters(std::ostream& out) : letters_(out), bytes_(&letters_), gzip_(bytes_) {}
  void write(std::string_view bytes) { gzip_.write(bytes); }
  // Writes the remaining data. Write nothing after it.
  void finish() {
    gzip_.finish();
    letters_.finish();
  }

 private:
  Base64Buffer letters_;
  std::ostream bytes_;
  Gzip gzip_;
};

// A stream for JSON. Up to `plain_bytes` go to `out` unchanged; more becomes ["gzip","BASE64"].
class PageData final : private DirectBuffer {
 public:
  static constexpr std::size_t plain_bytes = std::size_t{64} << 10;
  // `out` must outlive this object.
  explicit PageData(std::ostream& out) : out_(out), json_(this) {}
  [[nodiscard]] std::ostream& json() { return json_; }
  // Writes the remaining data. Write nothing after it.
  void finish();

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

  std::ostream& out_;
  std::ostream json_;
  std::string plain_;
  std::unique_ptr<PackedLetters> packer_;  // exists once the data exceeds plain_bytes
};

}  // namespace profile
