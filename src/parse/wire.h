// Writes and reads numbers and texts in a message between this process and a child. Both are one program on one
// machine, so the byte order is its own. The bytes from the parser may be a stranger's, so every read is bounded, and
// after a failed read all later reads fail.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace profile {

class WireWriter {
 public:
  template <class Number>
  void put(Number number) {
    static_assert(std::is_integral_v<Number> || std::is_enum_v<Number>);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof number);
    std::memcpy(bytes_.data() + at, &number, sizeof number);
  }
  void text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class WireReader {
 public:
  // `bytes` must outlive this and the texts that it gives.
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // 0 after something was missing.
  template <class Number>
  Number number() {
    static_assert(std::is_integral_v<Number> && !std::is_same_v<Number, bool>);
    Number number{};
    if (rest_.size() < sizeof number) {
      fail();
      return number;
    }
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return number;
  }
  // A value of an enumeration, below `end`.
  template <class Enum>
  Enum one_of(Enum end) {
    using Number = std::underlying_type_t<Enum>;
    const auto number = this->number<Number>();
    if (number < static_cast<Number>(end)) return static_cast<Enum>(number);
    fail();
    return Enum{};
  }
  // How many elements follow; each takes at least `least_bytes`. 0 when there cannot be so many.
  std::size_t count(std::size_t least_bytes) {
    const std::size_t count = number<std::uint32_t>();
    if (count <= rest_.size() / least_bytes) return count;
    fail();
    return 0;
  }
  std::string_view text() {
    const std::size_t size = count(1);
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  [[nodiscard]] bool ok() const { return ok_; }
  // Nothing was missing, and nothing is left.
  [[nodiscard]] bool is_whole() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace profile
