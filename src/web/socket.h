// The socket where the live view listens. We open it ourselves and not through the HTTP library, because only then we
// know the reason when listening fails.
#pragma once

#include <cstdint>
#include <string>

#include "support/fd.h"

namespace profile {

class LiveSocket {
 public:
  // Starts to listen. Throws Error when `address` is not numeric, or when listening fails.
  LiveSocket(const std::string& address, std::uint16_t port);

  [[nodiscard]] bool is_loopback() const { return is_loopback_; }
  // "127.0.0.1:9090", "[::1]:9090"
  [[nodiscard]] std::string name() const;
  // The same with an address that another machine can use, where `address` stands for all addresses of this machine.
  [[nodiscard]] std::string reachable_name() const;
  // Gives the descriptor to the caller, who then owns it.
  [[nodiscard]] int release() { return fd_.release(); }

 private:
  std::string address_;
  std::uint16_t port_;
  bool is_loopback_ = false;
  bool is_any_ = false;
  bool is_ipv6_ = false;
  Fd fd_;
};

}  // namespace profile
