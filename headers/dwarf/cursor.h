// Reads the numbers and texts of debug information from the bytes of an untrusted file. It cannot read outside of them:
// past the end it has failed, reads zeros and stays at the end. So a reader may check once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace profile {

class DwarfCursor {
 public:
  DwarfCursor() = default;
  explicit DwarfCursor(std::span<const std::byte> bytes, std::uint64_t at = 0) : bytes_(bytes) { skip(at); }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  void skip(std::uint64_t count) {
    if (count > left()) {
      fail();
    } else {
      at_ += count;
    }
  }
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }

  // Of 1, 2, 4 or 8 bytes, or 3 (DW_FORM_strx3). Any other size fails.
  std::uint64_t fixed(unsigned size) {
    switch (size) {
      case 1:
        return u8();
      case 2:
        return u16();
      case 3: {
        const std::uint64_t low = u16();
        return low | std::uint64_t{u8()} << 16;  // little-endian, as is every machine that this runs on
      }
      case 4:
        return u32();
      case 8:
        return u64();
      default:
        fail();
        return 0;
    }
  }
  // How many bytes of a unit or a table follow, and whether its offsets have 64 bits. A reserved length fails.
  std::uint64_t initial_length(bool& is_64bit) {
    const std::uint32_t length = u32();
    is_64bit = length == 0xffffffff;
    if (is_64bit) return u64();
    if (length >= 0xfffffff0) fail();
    return length;
  }
  std::uint64_t offset(bool is_64bit) { return is_64bit ? u64() : u32(); }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < max_leb_bits; shift += 7) {
      const std::uint8_t byte = u8();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    fail();
    return 0;
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < max_leb_bits;) {
      const std::uint8_t byte = u8();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
    fail();
    return 0;
  }
  // The text up to its NUL, which is passed over. Fails when there is no NUL.
  std::string_view text() {
    const char* const begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    const void* const end = left() == 0 ? nullptr : std::memchr(begin, 0, left());
    if (end == nullptr) {
      fail();
      return {};
    }
    const std::string_view found(begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin));
    at_ += found.size() + 1;
    return found;
  }

 private:
  static constexpr unsigned max_leb_bits = 7 * 16;  // longer numbers are padding that no compiler writes

  void fail() {
    failed_ = true;
    at_ = bytes_.size();
  }
  template <class T>
  T number() {
    T value{};
    if (left() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace profile
