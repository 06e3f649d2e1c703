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

}  // namespace profile
