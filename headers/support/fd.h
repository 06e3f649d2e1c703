// Owns one file descriptor and closes it. All code that holds a descriptor holds it in an Fd. It also
// has functions for the descriptors of a new process.
#pragma once

#include <unistd.h>

#include <utility>

namespace profile {

class Fd {
 public:
  Fd() noexcept = default;
  // Takes ownership. A negative number means "none".
  explicit Fd(int fd) noexcept : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  // The caller owns the descriptor from here on.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// The two ends of a stream socket, the connection between two of our processes; exec closes both. Throws Error.
[[nodiscard]] std::pair<Fd, Fd> new_socket_pair();
// The end to read and the end to write of a pipe; exec closes both. Throws Error.
[[nodiscard]] std::pair<Fd, Fd> new_pipe();
// Closes all descriptors from `first` on: those that a new process inherits and must not keep. It is safe between fork
// and exec.
void close_from(int first) noexcept;

}  // namespace profile
