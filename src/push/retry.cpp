#include "push/retry.h"

#include <algorithm>
#include <string_view>

namespace profile {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds first_wait{500};
constexpr milliseconds longest_wait{60'000};
constexpr std::chrono::seconds most_asked{300};

std::string_view words_of(long status) {
  switch (status) {
    case 401:
      return "it wants other credentials (--push-auth-file)";
    case 403:
      return "it does not permit this";
    case 404:
      return "nothing takes profiles at this address";
    case 407:
      return "the proxy wants credentials";
    case 413:
      return "the profile is too large for it";
    case 429:
      return "too many requests";
    default:
      break;
  }
  if (status >= 300 && status < 400) return "it redirects, and redirections are not followed";
  return status >= 500 ? "it has an error" : "it refuses the profile";
}

// Whether the request itself is at fault, and not the server, the way there or the credentials.
bool is_fault_of_request(long status) {
  return status == 400 || status == 409 || status == 411 || status == 413 || status == 415 || status == 422;
}

}  // namespace

milliseconds wait_after(unsigned failures, double chance, std::chrono::seconds asked) {
  constexpr unsigned most_doublings = 7;  // reaches the longest wait
  const milliseconds wait = std::min(first_wait * (1 << std::min(failures - 1, most_doublings)), longest_wait);
  const milliseconds less{static_cast<milliseconds::rep>(static_cast<double>(wait.count()) * chance / 2)};
  return std::max<milliseconds>(wait - less, std::min(asked, most_asked));
}

ServerAnswer answer_of_status(long status) {
  if (status >= 200 && status < 300) return {.fate = RequestFate::accepted, .why = {}};
  return {.fate = is_fault_of_request(status) ? RequestFate::never : RequestFate::again,
          .why = "status " + std::to_string(status) + ": " + std::string(words_of(status))};
}

}  // namespace profile
