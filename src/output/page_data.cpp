#include "output/page_data.h"

#include <cstdint>
#include <string_view>

namespace profile {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

// Appends the letters of `group_`. The group has `bytes` valid bytes, and '=' replaces missing letters.
void Base64Buffer::put(std::size_t bytes) {
  const std::uint32_t bits = std::uint32_t{group_[0]} << 16 | std::uint32_t{group_[1]} << 8 | group_[2];
  for (std::size_t letter = 0; letter < 4; ++letter) {
    letters_ += letter <= bytes ? alphabet[bits >> (18 - 6 * letter) & 63] : '=';
  }
}

std::streamsize Base64Buffer::xsputn(const char* bytes, std::streamsize count) {
  letters_.clear();
  for (const char byte : std::string_view(bytes, static_cast<std::size_t>(count))) {
    group_[filled_++] = static_cast<unsigned char>(byte);
    if (filled_ < group_.size()) continue;
    put(filled_);
    filled_ = 0;
  }
  out_.write(letters_.data(), static_cast<std::streamsize>(letters_.size()));
  return count;
}

Base64Buffer::int_type Base64Buffer::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  const char one = traits_type::to_char_type(byte);
  xsputn(&one, 1);
  return byte;
}

void Base64Buffer::finish() {
  if (filled_ == 0) return;
  letters_.clear();
  for (std::size_t missing = filled_; missing < group_.size(); ++missing) group_[missing] = 0;
  put(filled_);
  filled_ = 0;
  out_ << letters_;
}

std::streamsize PageData::xsputn(const char* bytes, std::streamsize count) {
  const std::string_view text(bytes, static_cast<std::size_t>(count));
  if (!packer_) {
    plain_ += text;
    if (plain_.size() <= plain_bytes) return count;
    out_ << R"(["gzip",")";
    packer_ = std::make_unique<Packer>(out_);
    packer_->gzip.write(plain_);
    plain_ = {};
  } else {
    packer_->gzip.write(text);
  }
  return count;
}

PageData::int_type PageData::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  const char one = traits_type::to_char_type(byte);
  xsputn(&one, 1);
  return byte;
}

void PageData::finish() {
  if (!packer_) {
    out_ << plain_;
    return;
  }
  packer_->gzip.finish();
  packer_->letters.finish();
  out_ << R"("])";
}

}  // namespace profile
