// Makes text of machine code with libcapstone, which is loaded only when code is to be shown. The code may be
// hostile: only the parser in its sandbox calls this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace profile {

class Disassembler {
 public:
  // Loads the library, which the parser's sandbox would not allow: call it before children are forked. False: it is
  // not there.
  static bool load() noexcept;
  [[nodiscard]] static bool is_loaded() noexcept;

  // For code of this machine's kind. False when the library does not start.
  explicit Disassembler(bool is_64bit);
  ~Disassembler();
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;
  explicit operator bool() const { return handle_ != 0; }

  // Calls `visit` for each instruction of `code`, whose first byte has this address, until it returns false. Bytes that
  // are no instruction come as ".byte".
  using Visit = std::function<bool(std::uint64_t address, std::size_t size_bytes, std::string_view name,
                                   std::string_view operands)>;
  void each(std::span<const std::byte> code, std::uint64_t address, const Visit& visit) const;

 private:
  std::size_t handle_ = 0;
};

}  // namespace profile
