// What a server is asked, one request after the other, until a queued request is settled: one POST for most protocols,
// several for ClickHouse.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "push/retry.h"
#include "push/store_request.h"
#include "push/target.h"

namespace profile {

struct HttpRequest {
  std::string query;  // what is appended to the target's URL
  std::string body;
  bool is_gzipped = false;  // said in a header
};

struct HttpAnswer {
  long status = 0;      // of HTTP; 0: there was no answer
  std::string trouble;  // why there was none
  std::string text;     // its body, as far as it is kept
  std::chrono::seconds retry_after{0};
};

// What was learned of a ClickHouse server and holds until a request fails.
struct StoreServer {
  std::optional<ServerVersion> version;  // nullopt: its tables were not looked at yet
  unsigned cut_off = 0;                  // inserts in a row of which it says that they have no end
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual HttpRequest request() = 0;
  // Takes the answer to it. nullopt: there is another request.
  [[nodiscard]] virtual std::optional<ServerAnswer> take(const HttpAnswer& answer) = 0;
};

// `may_be_there`: it was sent before, and it is not known whether the server has it. `server` must outlive the
// exchange.
[[nodiscard]] std::unique_ptr<Exchange> exchange_of(const PushTarget& target, std::string body, bool may_be_there,
                                                    StoreServer& server);

// Text for the query of a URL.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace profile
