// A stream buffer over a descriptor. It keeps the errno of a failed write, which std::ofstream does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <streambuf>

namespace profile {

class FdBuffer final : public std::streambuf {
 public:
  enum class Before { keep, cut };
  // The caller owns `fd`. `cut`: the first write cuts off the old contents; without a write they stay.
  explicit FdBuffer(int fd, Before before = Before::keep) : fd_(fd), before_(before) {
    setp(buffer_.get(), buffer_.get() + buffer_bytes);
  }
  // `cut` until the first write.
  [[nodiscard]] Before before() const { return before_; }
  // The errno of the first write that failed; nothing is written after it. 0: none.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::uint64_t written() const { return written_; }  // bytes

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  static constexpr std::size_t buffer_bytes = 1 << 16;

  int fd_;
  Before before_;
  int error_ = 0;
  std::uint64_t written_ = 0;
  // On the heap, because the stack may be as small (ulimit -s).
  std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(buffer_bytes);
};

}  // namespace profile
