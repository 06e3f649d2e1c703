// When a request that failed is tried again, and what a server's answer means for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace profile {

// The wait after so many failures in a row (at least 1): it doubles from half a second on up to a minute. `chance`,
// from 0 to 1, takes up to a half of it away, so that a thousand machines do not return at once. `asked`: by the
// server.
[[nodiscard]] std::chrono::milliseconds wait_after(unsigned failures, double chance, std::chrono::seconds asked);

// `again`: it may be taken later. `never`: neither it nor its repetition will be taken.
enum class RequestFate : std::uint8_t { accepted, again, never };
struct ServerAnswer {
  RequestFate fate = RequestFate::again;
  std::string why;            // for the user; empty: accepted
  bool lacks_tables = false;  // of a store: what it had is lost, too
};
// Of an HTTP status.
[[nodiscard]] ServerAnswer answer_of_status(long status);

}  // namespace profile
