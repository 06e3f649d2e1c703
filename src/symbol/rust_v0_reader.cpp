#include "symbol/rust_v0_reader.h"

namespace profile {

std::uint64_t RustV0Reader::integer62() {
  if (eat('_')) return 0;
  std::uint64_t value = 0;
  while (!eat('_')) {
    const char c = next();
    const int digit = is_digit(c) ? c - '0' : is_lower_case(c) ? c - 'a' + 10 : is_upper_case(c) ? c - 'A' + 36 : -1;
    if (digit < 0 || value > (UINT64_MAX - 63) / 62) {
      fail();
      return 0;
    }
    value = value * 62 + static_cast<std::uint64_t>(digit);
  }
  return value + 1;
}

RustIdentifier RustV0Reader::identifier() {
  const bool punycode = eat('u');
  std::size_t length = 0;
  if (!is_digit(peek())) fail();
  if (!eat('0')) {
    while (is_digit(peek()) && length <= in_.size()) length = length * 10 + static_cast<std::size_t>(next() - '0');
  }
  eat('_');
  if (failed_ || length > in_.size() - at_) {
    fail();
    return {};
  }
  RustIdentifier result{in_.substr(at_, length), {}};
  at_ += length;
  if (!punycode) return result;
  const auto split = result.text.rfind('_');
  result.punycode = split == std::string_view::npos ? result.text : result.text.substr(split + 1);
  result.text = split == std::string_view::npos ? std::string_view{} : result.text.substr(0, split);
  if (result.punycode.empty()) fail();
  return result;
}

std::string_view RustV0Reader::hex_digits() {
  const std::size_t begin = at_;
  while (is_digit(peek()) || (peek() >= 'a' && peek() <= 'f')) ++at_;
  const std::string_view digits = in_.substr(begin, at_ - begin);
  if (!eat('_')) fail();
  return digits;
}

}  // namespace profile
