#include "web/socket.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "support/error.h"

namespace profile {
namespace {

// The kernel's send buffer for a client that does not read; without this limit it would grow to megabytes. Connections
// inherit it.
constexpr int send_buffer_bytes = 256 << 10;
// The kernel's maximum, so that a client that connects together with a thousand others need not try again a second
// later.
constexpr int backlog = SOMAXCONN;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses parse(const std::string& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (address.empty() || ::getaddrinfo(address.c_str(), nullptr, &hints, &found) != 0) {
    throw usage_error("--listen " + address + ": not an address; it is numeric, as 127.0.0.1, 0.0.0.0 or ::1");
  }
  return {found, &::freeaddrinfo};
}

bool is_loopback_address(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, address, sizeof ipv4);
    return ntohl(ipv4.sin_addr.s_addr) >> 24 == 127;
  }
  sockaddr_in6 ipv6{};
  std::memcpy(&ipv6, address, sizeof ipv6);
  return IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr);
}

bool is_any_address(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, address, sizeof ipv4);
    return ipv4.sin_addr.s_addr == htonl(INADDR_ANY);
  }
  sockaddr_in6 ipv6{};
  std::memcpy(&ipv6, address, sizeof ipv6);
  return IN6_IS_ADDR_UNSPECIFIED(&ipv6.sin6_addr);
}

bool is_link_local(const sockaddr* address) {
  if (address->sa_family != AF_INET6) return false;
  sockaddr_in6 ipv6{};
  std::memcpy(&ipv6, address, sizeof ipv6);
  return IN6_IS_ADDR_LINKLOCAL(&ipv6.sin6_addr);
}

// The first address of a network card that is up, numeric; empty when there is none.
std::string first_address(int family) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != family || (each->ifa_flags & IFF_UP) == 0) continue;
    if (is_loopback_address(each->ifa_addr) || is_link_local(each->ifa_addr)) continue;
    std::array<char, NI_MAXHOST> text{};
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (::getnameinfo(each->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      return text.data();
    }
  }
  return {};
}

std::string host_and_port(const std::string& address, std::uint16_t port) {
  const bool is_ipv6 = address.find(':') != std::string::npos;
  return (is_ipv6 ? '[' + address + ']' : address) + ':' + std::to_string(port);
}

void set_port(sockaddr* address, std::uint16_t port) {
  // The port is at the same offset in both structures.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  const std::uint16_t in_order = htons(port);
  std::memcpy(reinterpret_cast<char*>(address) + offsetof(sockaddr_in, sin_port), &in_order, sizeof in_order);
}

std::uint16_t port_of(int fd) {
  sockaddr_in6 bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) throw system_error("cannot listen", errno);
  return ntohs(bound.sin6_port);
}

}  // namespace

LiveSocket::LiveSocket(const std::string& address, std::uint16_t port) : address_(address), port_(port) {
  const Addresses addresses = parse(address);
  is_loopback_ = is_loopback_address(addresses->ai_addr);
  is_any_ = is_any_address(addresses->ai_addr);
  is_ipv6_ = addresses->ai_family == AF_INET6;
  set_port(addresses->ai_addr, port);
  const auto refuse = [this](int error) {
    const std::string attempted = "cannot listen on " + name();
    if (error == EADDRINUSE) throw Error(attempted + ": address already in use; -R names another port");
    throw system_error(attempted, error);
  };
  fd_ = Fd(::socket(addresses->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd_) refuse(errno);
  const int yes = 1;
  const int no = 0;
  // The next run can listen at once, although the kernel still remembers connections of the last run.
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDBUF, &send_buffer_bytes, sizeof send_buffer_bytes);
  // "::" means every address of the machine, also its IPv4 addresses.
  if (addresses->ai_family == AF_INET6) ::setsockopt(fd_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (::bind(fd_.get(), addresses->ai_addr, addresses->ai_addrlen) != 0) refuse(errno);
  if (::listen(fd_.get(), backlog) != 0) refuse(errno);
  port_ = port_of(fd_.get());
}

std::string LiveSocket::name() const { return host_and_port(address_, port_); }

std::string LiveSocket::reachable_name() const {
  if (!is_any_) return name();
  // The socket of "::" takes IPv4, too, and such an address is easier to type.
  std::string address = first_address(AF_INET);
  if (address.empty() && is_ipv6_) address = first_address(AF_INET6);
  return address.empty() ? name() : host_and_port(address, port_);
}

}  // namespace profile
