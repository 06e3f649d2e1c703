// A stream buffer over a descriptor that remembers why a write failed; std::ofstream does not tell.
#pragma once

#include <array>
#include <streambuf>

namespace profile {

class FdBuffer final : public std::streambuf {
 public:
  // `fd` stays the caller's.
  explicit FdBuffer(int fd) : fd_(fd) { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  // The errno of the first write that failed; nothing is written from there on. 0: none.
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  int fd_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_{};
};

}  // namespace profile
