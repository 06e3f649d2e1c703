// Decides whether a request to the live view is allowed, and what it means. These are pure functions of untrusted
// input. Any site that a browser on this machine visits can make it send requests here, so Host and Origin are checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profile {

// The path of the page; the page fetches its data below it. "live" and "/live" both give "/live/". Throws Error if
// `typed` is not a path, or if it would hide other paths of this server.
[[nodiscard]] std::string live_path_of(std::string_view typed);

// The address where the server listens; it tells whether a request was meant for this server.
struct LiveHost {
  std::string address = "127.0.0.1";  // numeric
  bool is_loopback = true;
  std::string machine;  // the host name; used only when other machines can connect
};

// Whether the Host header names this server. If a foreign name that resolves to this machine were accepted (DNS
// rebinding), the script of another site could read all data. Numeric addresses cannot be misused like that.
[[nodiscard]] bool is_our_host(std::string_view host, const LiveHost& ours);
// Whether the Origin header belongs to a page that was fetched from `host`.
[[nodiscard]] bool is_our_origin(std::string_view origin, std::string_view host);
// Checks the headers Sec-Fetch-Site and Sec-Fetch-Mode, which say who caused a request. Another site may only link to
// our page; all its other requests are refused.
[[nodiscard]] bool is_our_fetch(std::string_view site, std::string_view mode, bool for_page);

// The value of `?seconds=`; nullopt for anything except 1 to 3600 in plain digits.
[[nodiscard]] std::optional<std::uint32_t> seconds_of(std::string_view text);

}  // namespace profile
