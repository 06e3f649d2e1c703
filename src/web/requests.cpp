#include "web/requests.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "support/ascii.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr std::size_t longest_path = 200;
constexpr std::uint32_t most_seconds = 3600;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
}

// Characters that every program reads literally in a URL.
bool is_plain(char c) {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '-' || c == '_' || c == '.' || c == '~';
}

struct HostPort {
  std::string_view name;
  bool is_ipv6 = false;
};

// The host without the port; nullopt if `host` is not a host with an optional port.
std::optional<HostPort> without_port(std::string_view host) {
  HostPort result;
  std::string_view rest;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    result = {.name = host.substr(1, end - 1), .is_ipv6 = true};
    rest = host.substr(end + 1);
  } else {
    const std::size_t end = std::min(host.find(':'), host.size());
    result.name = host.substr(0, end);
    rest = host.substr(end);
  }
  if (rest.empty()) return result;
  rest.remove_prefix(1);
  const bool is_port = host[host.size() - rest.size() - 1] == ':' && !rest.empty() && rest.size() <= 5 &&
                       std::ranges::all_of(rest, is_digit);
  return is_port ? std::optional(result) : std::nullopt;
}

// The address in network byte order; empty if the text is not an address.
std::string address_of(std::string_view text, bool is_ipv6) {
  std::array<char, sizeof(in6_addr)> bytes{};
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return {};
  if (::inet_pton(is_ipv6 ? AF_INET6 : AF_INET, terminated.c_str(), bytes.data()) != 1) return {};
  return {bytes.data(), is_ipv6 ? sizeof(in6_addr) : sizeof(in_addr)};
}

}  // namespace

std::string live_path_of(std::string_view typed) {
  const auto refuse = [&](const std::string& why) { return usage_error("-P " + std::string(typed) + ": " + why); };
  std::string_view middle = typed;
  while (middle.starts_with('/')) middle.remove_prefix(1);
  while (middle.ends_with('/')) middle.remove_suffix(1);
  if (middle.empty()) return "/";
  std::string path = '/' + std::string(middle) + '/';
  const bool is_path = std::ranges::all_of(middle, [](char c) { return is_plain(c) || c == '/'; });
  const bool goes_elsewhere = path.find("//") != std::string::npos || path.find("/./") != std::string::npos ||
                              path.find("/../") != std::string::npos;
  if (!is_path || goes_elsewhere || path.size() > longest_path) {
    throw refuse("not a path; it is made of letters, digits and -._~ between slashes");
  }
  for (const std::string_view taken : {"/metrics/", "/healthz/", "/debug/pprof/"}) {
    if (path.starts_with(taken)) throw refuse("something else is served there");
  }
  return path;
}

bool is_our_host(std::string_view host, const LiveHost& ours) {
  const auto named = without_port(host);
  if (!named) return false;
  const std::string address = address_of(named->name, named->is_ipv6);
  if (named->is_ipv6 && address.empty()) return false;
  if (!address.empty()) {
    if (!ours.is_loopback) return true;
    const bool is_usual = address == address_of("127.0.0.1", false) || address == address_of("::1", true);
    const bool listens_on_ipv6 = ours.address.find(':') != std::string::npos;
    return is_usual || address == address_of(ours.address, listens_on_ipv6);
  }
  if (equal_but_for_case(named->name, "localhost")) return true;
  return !ours.is_loopback && !named->name.empty() && equal_but_for_case(named->name, ours.machine);
}

bool is_our_origin(std::string_view origin, std::string_view host) {
  constexpr std::string_view scheme = "http://";
  return equal_but_for_case(origin.substr(0, scheme.size()), scheme) &&
         equal_but_for_case(origin.substr(std::min(scheme.size(), origin.size())), host);
}

bool is_our_fetch(std::string_view site, std::string_view mode, bool for_page) {
  if (site.empty() || site == "same-origin" || site == "none") return true;
  return for_page && mode == "navigate";
}

std::optional<std::uint32_t> seconds_of(std::string_view text) {
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return seconds >= 1 && seconds <= most_seconds ? std::optional(seconds) : std::nullopt;
}

}  // namespace profile
