// Answers as the HTTP library wants them, each with the headers that keep browsers from using it for anything else.
#pragma once

#include <microhttpd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "web/events.h"

namespace profile {

struct LiveAnswer {
  unsigned status = MHD_HTTP_OK;
  const char* type = "text/plain; charset=utf-8";
  std::string body = {};
  // Of one header more; none when the name is null.
  const char* extra_name = nullptr;
  std::string extra_value = {};
  bool is_page = false;  // which is allowed to run its script and to ask this server
  bool is_last = false;  // of its connection
};

// Sends it as the answer to the request of `connection`.
MHD_Result send_answer(MHD_Connection* connection, LiveAnswer answer);
// Sends what there is to read for a client of the events, for as long as it goes on; 503 when there is no room.
MHD_Result send_events(MHD_Connection* connection, LiveEvents& events);

// Of the request; empty when there is none.
[[nodiscard]] std::string_view header_of(MHD_Connection* connection, const char* name);
// How many headers of that name there are.
[[nodiscard]] int count_headers(MHD_Connection* connection, std::string_view name);
// Its descriptor; -1 when the library does not tell.
[[nodiscard]] int socket_of(MHD_Connection* connection);
// Whether the other end of a connection that is not being read has closed it. One that has only said that it sends no
// more looks the same.
[[nodiscard]] bool is_gone(MHD_Connection* connection);

}  // namespace profile
