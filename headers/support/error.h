// The only error type, thrown where the run cannot go on. Its text says what was attempted, why it failed and, if
// possible, what the user can do. main() prints it as `profile: <text>`. It is caught elsewhere only where the rest can
// go on: one of several outputs, a line of a file, a source that tries another way.
#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

namespace profile {

class Error : public std::runtime_error {
 public:
  static constexpr int could_not_profile = 1;
  static constexpr int misused = 2;

  // `exit_status`: one of the above, or the shell's number for a command that cannot be run (126, 127).
  explicit Error(const std::string& text, int exit_status = could_not_profile)
      : std::runtime_error(text), exit_status_(exit_status) {}
  [[nodiscard]] int exit_status() const noexcept { return exit_status_; }

 private:
  int exit_status_;
};

inline Error usage_error(const std::string& text) { return Error(text, Error::misused); }

// "<attempted>: <strerror(errno_value)>". `errno_value` is positive.
[[nodiscard]] inline Error system_error(const std::string& attempted, int errno_value) {
  return Error(attempted + ": " + std::generic_category().message(errno_value));
}

}  // namespace profile
