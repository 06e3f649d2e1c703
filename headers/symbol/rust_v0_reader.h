// The tokens of Rust's v0 mangling: tags, numbers, identifiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profile {

struct RustIdentifier {
  std::string_view text;      // of one beyond ASCII: its ASCII part
  std::string_view punycode;  // and where the rest goes
  [[nodiscard]] bool empty() const { return text.empty() && punycode.empty(); }
};

class RustV0Reader {
 public:
  // `mangled` begins with "_R", which is skipped.
  explicit RustV0Reader(std::string_view mangled) : in_(mangled) {}

 protected:
  // '\0' at the end.
  [[nodiscard]] char peek() const { return at_ < in_.size() ? in_[at_] : '\0'; }
  bool eat(char c) { return peek() == c && c != '\0' ? (++at_, true) : false; }
  char next() { return peek() != '\0' ? in_[at_++] : (fail(), '\0'); }
  void fail() { failed_ = true; }

  // Base 62, '_' behind it; "_" alone is 0.
  std::uint64_t integer62();
  // 0 when `tag` is not there, 1 more than the number when it is.
  std::uint64_t optional_integer62(char tag) { return eat(tag) ? integer62() + 1 : 0; }
  RustIdentifier identifier();
  // Of lower case, with the '_' behind them eaten.
  std::string_view hex_digits();

  [[nodiscard]] static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  [[nodiscard]] static bool is_lower_case(char c) { return c >= 'a' && c <= 'z'; }
  [[nodiscard]] static bool is_upper_case(char c) { return c >= 'A' && c <= 'Z'; }

  std::string_view in_;
  std::size_t at_ = 2;
  bool failed_ = false;
};

}  // namespace profile
