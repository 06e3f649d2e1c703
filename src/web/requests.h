// Who may ask the live view, and what a request means: pure functions of what a client sent, which may be anything. A
// browser on this machine can be made to ask by any site it visits, so the names and origins it says are checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace profile {

// "live" and "/live" are "/live/": its page, and below it what the page fetches. Throws Error for what is no path, and
// for one that hides the other things that are served.
[[nodiscard]] std::string live_path_of(std::string_view typed);

// Where one listens, for the question whether a request was meant for it.
struct LiveHost {
  std::string address = "127.0.0.1";  // numeric
  bool is_loopback = true;
  std::string machine;  // its host name; only of account when others than this machine can connect
};

// Whether the Host header names us. A name of somebody else's that leads here (DNS rebinding) would let a site's script
// read all there is; an address cannot be made to do that.
[[nodiscard]] bool is_our_host(std::string_view host, const LiveHost& ours);
// Whether the Origin header is that of a page that was fetched from `host`.
[[nodiscard]] bool is_our_origin(std::string_view origin, std::string_view host);
// What browsers say of who made a page ask: another site's may lead a person to our page and nothing else.
[[nodiscard]] bool is_our_fetch(std::string_view site, std::string_view mode, bool for_page);

// Of `?seconds=`; none for anything but 1 to 3600 in plain digits.
[[nodiscard]] std::optional<std::uint32_t> seconds_of(std::string_view text);

}  // namespace profile
