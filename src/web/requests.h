// Decides whether a request to the live view is allowed, and what it means. These are pure functions of untrusted
// input. Any site that a browser on this machine visits can make it send requests here, so Host and Origin are checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profile {

// The path of the page; the page fetches its data below it. "live" and "/live" both give "/live/". Throws Error if
// `typed` is not a path, or if it would hide other paths of this server.
[[nodiscard]] std::string live_path_of(std::string_view typed);

// The address where the server listens; it tells whether a request was meant for this server.
struct LiveHost {
  std::string address = "127.0.0.1";  // numeric
  bool is_loopback = true;
  std::string machine = {};             // the host name; used only when other machines can connect
  std::vector<std::string> names = {};  // checked by host_names_of()
};

// The names and patterns of --allow-host. Throws a usage Error for what is no host name, and for a pattern that every
// site could match.
[[nodiscard]] std::vector<std::string> host_names_of(const std::vector<std::string>& typed);

// Whether the Host header names this server. If a foreign name that resolves to this machine were accepted (DNS
// rebinding), the script of another site could read all data. Numeric addresses cannot be misused like that.
[[nodiscard]] bool is_our_host(std::string_view host, const LiveHost& ours);
// Whether the Origin header belongs to a page that was fetched from `host`.
[[nodiscard]] bool is_our_origin(std::string_view origin, std::string_view host);
// Checks the headers Sec-Fetch-Site and Sec-Fetch-Mode, which say who caused a request. Another site may only link to
// our page; all its other requests are refused.
[[nodiscard]] bool is_our_fetch(std::string_view site, std::string_view mode, bool for_page);

// What a request for a profile asks for.
struct CaptureQuery {
  std::uint32_t seconds = 30;
  std::vector<std::uint32_t> tgids;  // empty: all processes
};
// Takes one parameter of the request: `seconds`, 1 to 3600, or `pid`, which may be repeated; both in plain digits.
// Returns why it is refused; empty if it is taken.
[[nodiscard]] std::string take_parameter(CaptureQuery& query, std::string_view key, std::string_view value);

}  // namespace profile
