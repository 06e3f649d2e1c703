// The data of a page: JSON where it is small, so that people can read it, and otherwise gzip in base64: a large profile
// is a page of half the size then.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

#include "output/gzip.h"

namespace profile {

// Writes bytes to a stream as base64, which the end of a JSON string needs no escape for.
class Base64Buffer final : public std::streambuf {
 public:
  // `out` must outlive it.
  explicit Base64Buffer(std::ostream& out) : out_(out) {}
  // Writes what does not fill three bytes yet. Nothing may be written behind it.
  void finish();

 protected:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  void put(std::size_t bytes);

  std::ostream& out_;
  std::array<unsigned char, 3> group_{};
  std::size_t filled_ = 0;
  std::string letters_;
};

// A stream for JSON. Up to `plain_bytes` are written to `out` as they are; more becomes ["gzip","BASE64"].
class PageData final : private std::streambuf {
 public:
  static constexpr std::size_t plain_bytes = std::size_t{64} << 10;
  // `out` must outlive it.
  explicit PageData(std::ostream& out) : out_(out), json_(this) {}
  [[nodiscard]] std::ostream& json() { return json_; }
  // Writes what is kept back. Nothing may be written behind it.
  void finish();

 private:
  struct Packer {
    explicit Packer(std::ostream& out) : letters(out), bytes(&letters), gzip(bytes) {}
    Base64Buffer letters;
    std::ostream bytes;
    Gzip gzip;
  };
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

  std::ostream& out_;
  std::ostream json_;
  std::string plain_;
  std::unique_ptr<Packer> packer_;  // once there is more than stays plain
};

}  // namespace profile
