#include "web/http.h"

#include <poll.h>
#include <strings.h>
#include <sys/stat.h>

#include <exception>
#include <memory>
#include <utility>

#include "output/page.h"

namespace profile {
namespace {

// The size of the blocks in which the library reads the events.
constexpr std::size_t block_bytes = std::size_t{32} << 10;
// A client of the events that has read nothing for this time is closed; a browser reconnects by itself.
constexpr unsigned events_timeout_s = 30;

// What a browser lets an answer do.
std::string policy_of(PageAnswer::May may) {
  std::string nothing = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'";
  switch (may) {
    case PageAnswer::May::run_script:
      return page_policy();
    case PageAnswer::May::send_forms:
      return nothing + "; form-action 'self'; style-src 'unsafe-inline'";
    case PageAnswer::May::nothing:
      break;
  }
  return nothing;
}

struct Destroy {
  void operator()(MHD_Response* response) const { MHD_destroy_response(response); }
};
using Response = std::unique_ptr<MHD_Response, Destroy>;

void add_headers(MHD_Response* response, const std::string& type, PageAnswer::May may) {
  MHD_add_response_header(response, "Content-Type", type.c_str());
  MHD_add_response_header(response, "Content-Security-Policy", policy_of(may).c_str());
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "X-Frame-Options", "DENY");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
  MHD_add_response_header(response, "Cache-Control", "no-store");
}

void free_body(void* body) noexcept { delete static_cast<std::string*>(body); }
void free_reader(void* reader) noexcept { delete static_cast<LiveEvents::Reader*>(reader); }

ssize_t read_events(void* reader, std::uint64_t /*position*/, char* buffer, std::size_t size) noexcept {
  try {
    const auto state = static_cast<LiveEvents::Reader*>(reader)->read(buffer, size);
    if (state == LiveEvents::Reader::State::over) return MHD_CONTENT_READER_END_OF_STREAM;
    return static_cast<ssize_t>(size);  // 0 when the reader is paused
  } catch (const std::exception&) {     // no memory for this client
    return MHD_CONTENT_READER_END_WITH_ERROR;
  }
}

// nullptr: there is no memory.
Response response_of(std::string text) {
  auto body = std::make_unique<std::string>(std::move(text));
  Response response(
      MHD_create_response_from_buffer_with_free_callback_cls(body->size(), body->data(), free_body, body.get()));
  if (response) static_cast<void>(body.release());  // the response owns it now
  return response;
}

Response response_of(Fd file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return nullptr;
  Response response(MHD_create_response_from_fd64(static_cast<std::uint64_t>(status.st_size), file.get()));
  if (response) static_cast<void>(file.release());
  return response;
}

}  // namespace

LiveAnswer refusal(unsigned status, std::string why) { return {.status = status, .body = std::move(why) + '\n'}; }

LiveAnswer overloaded(std::string why) {
  LiveAnswer answer = refusal(MHD_HTTP_SERVICE_UNAVAILABLE, std::move(why));
  answer.extra_name = "Retry-After";
  answer.extra_value = "5";
  return answer;
}

MHD_Result send_answer(MHD_Connection* connection, LiveAnswer answer) {
  const Response response = answer.file ? response_of(std::move(answer.file)) : response_of(std::move(answer.body));
  if (!response) return MHD_NO;
  add_headers(response.get(), answer.type, answer.may);
  if (answer.extra_name != nullptr) {
    MHD_add_response_header(response.get(), answer.extra_name, answer.extra_value.c_str());
  }
  if (answer.is_last) MHD_add_response_header(response.get(), "Connection", "close");
  return MHD_queue_response(connection, answer.status, response.get());
}

MHD_Result send_events(MHD_Connection* connection, LiveEvents& events) {
  auto reader = std::make_unique<LiveEvents::Reader>(
      events, [connection] { MHD_suspend_connection(connection); },
      [connection] { MHD_resume_connection(connection); });
  if (!reader->is_admitted()) {
    LiveAnswer answer = overloaded("too many clients follow the events, or the run has ended");
    answer.is_last = true;
    return send_answer(connection, std::move(answer));
  }
  const Response response(
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block_bytes, read_events, reader.get(), free_reader));
  if (!response) return MHD_NO;
  static_cast<void>(reader.release());
  add_headers(response.get(), "text/event-stream", PageAnswer::May::nothing);
  MHD_add_response_header(response.get(), "Connection", "close");
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, events_timeout_s);
  return MHD_queue_response(connection, MHD_HTTP_OK, response.get());
}

std::string_view header_of(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? std::string_view() : value;
}

int count_headers(MHD_Connection* connection, std::string_view name) {
  std::pair<std::string_view, int> counted{name, 0};
  MHD_get_connection_values(
      connection, MHD_HEADER_KIND,
      [](void* to, MHD_ValueKind /*kind*/, const char* key, const char* /*value*/) noexcept {
        auto& [wanted, count] = *static_cast<std::pair<std::string_view, int>*>(to);
        if (std::string_view(key).size() == wanted.size() && ::strncasecmp(key, wanted.data(), wanted.size()) == 0) {
          ++count;
        }
        return MHD_YES;
      },
      &counted);
  return counted.second;
}

int socket_of(MHD_Connection* connection) {
  const MHD_ConnectionInfo* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == nullptr ? -1 : info->connect_fd;
}

bool is_gone(MHD_Connection* connection) {
  pollfd state{.fd = socket_of(connection), .events = POLLRDHUP, .revents = 0};
  return ::poll(&state, 1, 0) > 0;  // poll() ignores the descriptor -1
}

}  // namespace profile
