// ClickHouse's format RowBinary: the values of a row one after the other, numbers in little-endian order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace profile {

static_assert(std::endian::native == std::endian::little);

template <class Number>
void append_number(std::string& rows, Number number) {
  rows.append(reinterpret_cast<const char*>(&number), sizeof number);
}
// Of a text or an array: seven bits a byte, the lowest first.
inline void append_size(std::string& rows, std::size_t size) {
  for (; size > 127; size >>= 7) rows += static_cast<char>(size | 128);
  rows += static_cast<char>(size);
}
inline void append_text(std::string& rows, std::string_view text) {
  append_size(rows, text.size());
  rows.append(text);
}

// Reads rows that come in pieces, from a server that is not trusted.
class RowReader {
 public:
  explicit RowReader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    Number number{};
    if (rest_.size() < sizeof number) {
      is_short_ = true;
      return number;
    }
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return number;
  }
  // At most `most`; a larger one is not to be believed.
  std::size_t size(std::size_t most) {
    std::size_t size = 0;
    for (unsigned shift = 0; !is_short_; shift += 7) {
      const auto byte = number<std::uint8_t>();
      if (shift > 28) is_wrong_ = true;
      if (is_wrong_) return 0;
      size |= std::size_t{byte & 127U} << shift;
      if (byte < 128) break;
    }
    if (size > most) is_wrong_ = true;
    return is_wrong_ || is_short_ ? 0 : size;
  }
  // Valid as long as the bytes.
  std::string_view text() {
    const std::size_t bytes = size(most_text_bytes);
    if (bytes > rest_.size()) is_short_ = true;
    const std::string_view text = rest_.substr(0, is_short_ ? 0 : bytes);
    rest_.remove_prefix(text.size());
    return text;
  }

  [[nodiscard]] bool is_short() const { return is_short_; }
  [[nodiscard]] bool is_wrong() const { return is_wrong_; }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  static constexpr std::size_t most_text_bytes = std::size_t{1} << 20;

 private:
  std::string_view rest_;
  bool is_short_ = false;  // more has to come
  bool is_wrong_ = false;
};

}  // namespace profile
