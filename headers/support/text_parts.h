// Takes a text apart from its front: numbers, words, and what stands between separators.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace profile {

// Removes the text before the first `separator`, and the separator itself. Returns that text; without a separator it is
// the whole text.
inline std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// Removes a number. nullopt: there is none, or it does not fit; `text` stays as it is. `base` is as of
// std::from_chars(), for whole numbers only.
template <class Number, class... Base>
[[nodiscard]] std::optional<Number> take_number(std::string_view& text, Base... base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The number that the whole text is. nullopt: the text is anything else.
template <class Number, class... Base>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text, Base... base) {
  const std::optional<Number> number = take_number<Number>(text, base...);
  return text.empty() ? number : std::nullopt;
}

// Removes the parts of a text, one after the other.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  bool skip(std::string_view words) {
    if (!text_.starts_with(words)) return false;
    text_.remove_prefix(words.size());
    return true;
  }
  // Skips all characters that are among `characters`. False: there is none.
  bool skip_any(std::string_view characters) {
    const std::size_t end = std::min(text_.find_first_not_of(characters), text_.size());
    text_.remove_prefix(end);
    return end != 0;
  }
  template <class Number>
  bool number(Number& number, int base = 10) {
    const std::optional<Number> read = take_number<Number>(text_, base);
    number = read.value_or(number);
    return read.has_value();
  }
  [[nodiscard]] std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace profile
