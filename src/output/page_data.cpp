#include "output/page_data.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace profile {
namespace {

constexpr std::size_t group_bytes = 3;
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// '=' replaces the missing letters of an incomplete last group.
std::string base64(std::string_view bytes) {
  std::string letters;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(group_bytes, bytes.size()))) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < group_bytes; ++i) {
      bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) letters += i <= bytes.size() ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
  }
  return letters;
}

}  // namespace

std::streamsize Base64Buffer::xsputn(const char* bytes, std::streamsize count) {
  waiting_.append(bytes, static_cast<std::size_t>(count));
  const std::size_t whole = waiting_.size() / group_bytes * group_bytes;
  out_ << base64(std::string_view(waiting_).substr(0, whole));
  waiting_.erase(0, whole);
  return count;
}

void Base64Buffer::finish() { out_ << base64(waiting_); }

std::streamsize PageData::xsputn(const char* bytes, std::streamsize count) {
  const std::string_view text(bytes, static_cast<std::size_t>(count));
  if (!packer_) {
    plain_ += text;
    if (plain_.size() <= plain_bytes) return count;
    out_ << R"(["gzip",")";
    packer_ = std::make_unique<PackedLetters>(out_);
    packer_->write(plain_);
    plain_ = {};
  } else {
    packer_->write(text);
  }
  return count;
}

void PageData::finish() {
  if (!packer_) {
    out_ << plain_;
    return;
  }
  packer_->finish();
  out_ << R"("])";
}

}  // namespace profile
