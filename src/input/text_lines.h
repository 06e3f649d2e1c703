// Splits a text into lines and counts them, for the line numbers in errors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace profile {

class TextLines {
 public:
  explicit TextLines(std::string_view text) : text_(text) {}

  // False at the end. `line` has no line ending (LF or CRLF).
  bool next(std::string_view& line) {
    if (text_.empty()) return false;
    line = text_.substr(0, text_.find('\n'));
    text_.remove_prefix(std::min(line.size() + 1, text_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return true;
  }
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view text_;
  std::size_t number_ = 0;
};

}  // namespace profile
