// Sends answers through the HTTP library, each with headers that prevent browsers from using it for anything else.
#pragma once

#include <microhttpd.h>

#include <string>
#include <string_view>

#include "support/fd.h"
#include "web/events.h"
#include "web/pages.h"

namespace profile {

struct LiveAnswer {
  unsigned status = MHD_HTTP_OK;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  Fd file = {};  // if it is valid, this regular file is the body
  // One additional header; none when the name is null.
  const char* extra_name = nullptr;
  std::string extra_value = {};
  PageAnswer::May may = PageAnswer::May::nothing;
  bool is_last = false;  // the last answer on its connection
};

[[nodiscard]] LiveAnswer refusal(unsigned status, std::string why);
// 503, with the advice to come back after a while.
[[nodiscard]] LiveAnswer overloaded(std::string why);

// Sends `answer` to the request of `connection`.
MHD_Result send_answer(MHD_Connection* connection, LiveAnswer answer);
// Sends the events to a client for as long as they last; 503 when there is no room for another client.
MHD_Result send_events(MHD_Connection* connection, LiveEvents& events);

// The value of a header of the request; empty when there is none.
[[nodiscard]] std::string_view header_of(MHD_Connection* connection, const char* name);
// The number of headers with that name.
[[nodiscard]] int count_headers(MHD_Connection* connection, std::string_view name);
// The descriptor of the connection; -1 when the library does not give it.
[[nodiscard]] int socket_of(MHD_Connection* connection);
// Whether the client has closed a connection that is not being read. A client that has only closed its sending half
// looks the same.
[[nodiscard]] bool is_gone(MHD_Connection* connection);

}  // namespace profile
