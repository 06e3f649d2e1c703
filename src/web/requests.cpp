#include "web/requests.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

#include "support/ascii.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr std::size_t longest_path = 200;
constexpr std::uint32_t most_seconds = 3600;
constexpr std::size_t longest_host_name = 253;  // of DNS
constexpr std::size_t most_pids = 64;

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
}

// Characters that every program reads literally in a URL.
bool is_plain(char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.' || c == '~'; }

struct HostPort {
  std::string_view name;
  bool is_ipv6 = false;
};

// The host without the port; nullopt if `host` is not a host with an optional port.
std::optional<HostPort> without_port(std::string_view host) {
  const bool is_ipv6 = host.starts_with('[');
  const std::size_t end = is_ipv6 ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == std::string_view::npos) return std::nullopt;
  HostPort result{.name = is_ipv6 ? host.substr(1, end - 1) : host.substr(0, end), .is_ipv6 = is_ipv6};
  const std::string_view rest = host.substr(is_ipv6 ? end + 1 : end);
  if (rest.empty()) return result;
  const std::string_view port = rest.substr(1);
  const bool is_port = rest.front() == ':' && !port.empty() && port.size() <= 5 && std::ranges::all_of(port, is_digit);
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

// Whether `*` in the pattern can stand for characters so that it becomes `name`.
bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return equal_but_for_case(pattern, name);
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  return name.size() > before.size() + after.size() && equal_but_for_case(name.substr(0, before.size()), before) &&
         equal_but_for_case(name.substr(name.size() - after.size()), after);
}

}  // namespace

std::vector<std::string> host_names_of(const std::vector<std::string>& typed) {
  for (const std::string& name : typed) {
    const auto refuse = [&](const char* why) {
      return usage_error(std::string("--allow-host ").append(name).append(": ").append(why));
    };
    const bool is_name = std::ranges::all_of(name, [](char c) { return is_plain(c) || c == '*'; });
    if (!is_name || name.size() > longest_host_name || std::ranges::count(name, '*') > 1) {
      throw refuse("not a host name; one * in it stands for any characters");
    }
    // A site that is fetched under a name of its own could read all data.
    const bool is_pattern = name.find('*') != std::string::npos;
    const std::size_t dots = static_cast<std::size_t>(std::ranges::count(name, '.'));
    if (name.ends_with('*') || (is_pattern && (name[name.find('*') + 1] != '.' || dots < 2))) {
      throw refuse("foreign sites could have such a name, too; give a whole domain, as in *.example.org");
    }
  }
  return typed;
}

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
  if (std::ranges::any_of(ours.names, [&](const std::string& name) { return matches(name, named->name); })) return true;
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

std::string take_parameter(CaptureQuery& query, std::string_view key, std::string_view value) {
  const auto number = parse_number<std::uint32_t>(value);
  if (key == "seconds") {
    if (!number || *number < 1 || *number > most_seconds) return "seconds is a whole number from 1 to 3600";
    query.seconds = *number;
  } else if (key == "pid") {
    if (!number || *number == 0 || query.tgids.size() == most_pids) return "pid is a process, at most 64 times";
    query.tgids.push_back(*number);
  } else {
    return "the parameters are seconds and pid";
  }
  return {};
}

}  // namespace profile
