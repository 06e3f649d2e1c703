// Where the live view listens. The socket is our own and not the HTTP library's, because only then is it known why one
// cannot listen.
#pragma once

#include <cstdint>
#include <string>

#include "support/fd.h"

namespace profile {

class LiveSocket {
 public:
  // Listens. Throws Error when `address` is not numeric, or one cannot listen there.
  LiveSocket(const std::string& address, std::uint16_t port);

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bool is_loopback() const { return is_loopback_; }
  // "127.0.0.1:9090", "[::1]:9090"
  [[nodiscard]] std::string name() const;
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Gives the socket away.
  [[nodiscard]] int release() { return fd_.release(); }

 private:
  std::string address_;
  std::uint16_t port_;
  bool is_loopback_ = false;
  Fd fd_;
};

}  // namespace profile
