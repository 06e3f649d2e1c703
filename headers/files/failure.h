// Why an output could not be written: an errno, or a reason that no errno has. A child process sends it to its parent.
#pragma once

#include <array>
#include <string>

#include "support/error.h"

namespace profile {

inline constexpr const char* takes_nothing = "its file system does not answer";

struct Failure {
  int error = 0;         // errno; 0: none
  std::string why = {};  // a message in place of errno's
};

// The reason alone.
[[nodiscard]] std::string words_of(const Failure& failure);
// The Error for an output that cannot be written.
[[nodiscard]] Error unwritable(const std::string& path, const Failure& failure);
// The same if it `is_detached`: ETIMEDOUT means that its file system does not answer.
[[nodiscard]] Error unwritable(const std::string& path, int error, bool is_detached);

// A Failure in a fixed number of bytes. A longer message, which no path makes, is cut.
struct SentFailure {
  int error = 0;
  std::array<char, 4608> why{};

  SentFailure() = default;
  explicit SentFailure(const Failure& failure);
  [[nodiscard]] Failure failure() const;
};

}  // namespace profile
