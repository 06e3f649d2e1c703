// The one error type. Thrown where the run cannot go on; its text says what was attempted, why it failed and, where
// there is something to do about it, what. main() catches it once and prints `profile: <text>`.
#pragma once

#include <stdexcept>
#include <string>

namespace profile {

class Error : public std::runtime_error {
 public:
  // Whose fault it is decides the exit status: the state of the system (1) or the command line (2).
  enum class Blame { system, usage };

  explicit Error(const std::string& text, Blame blame = Blame::system) : std::runtime_error(text), blame_(blame) {}
  [[nodiscard]] Blame blame() const noexcept { return blame_; }

 private:
  Blame blame_;
};

inline Error usage_error(const std::string& text) { return Error(text, Error::Blame::usage); }

// "<attempted>: <strerror(errno_value)>". `errno_value` is positive.
[[nodiscard]] Error system_error(const std::string& attempted, int errno_value);

}  // namespace profile
