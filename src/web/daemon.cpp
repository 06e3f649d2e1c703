#include "web/daemon.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <exception>
#include <thread>
#include <utility>

#include "support/blocked_signals.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// Half of these connections may be waited for (LiveConnections). The others follow the events, wait for what is being
// made, or are being closed.
constexpr unsigned most_connections = 128;
// If more connections than this are open, none is kept for a next request, so that idle ones do not keep others out.
constexpr unsigned most_kept = 16;
constexpr unsigned timeout_s = 10;
constexpr unsigned answer_timeout_s = 60;  // for a client to read a whole answer
constexpr std::size_t bytes_per_connection = std::size_t{64} << 10;
constexpr unsigned content_too_large = 413;  // a number, because the library has renamed its constant
constexpr auto patience_at_end = std::chrono::seconds(1);
// The limit for the body of any request. go tool pprof sends about 19 bytes for each address without a name.
constexpr std::uint64_t most_body_bytes = std::uint64_t{1} << 20;
// This is sent directly to the socket, because the library accepts no answer in the middle of a body.
constexpr std::string_view no_more_body =
    "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

std::string machine_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The length of the body that the request announces; 0 when it announces none. The library has checked that it is a
// number.
std::uint64_t announced_bytes(MHD_Connection* connection) {
  std::string_view text = header_of(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return take_number<std::uint64_t>(text).value_or(0);
}

}  // namespace

// The state of a running request.
struct HttpDaemon::Request {
  GoOn go_on;
  std::uint64_t body_bytes = 0;  // read so far
};

HttpDaemon::HttpDaemon(const std::string& address, std::uint16_t port, const std::vector<std::string>& hosts)
    : socket_(address, port),
      host_{.address = address,
            .is_loopback = socket_.is_loopback(),
            .machine = machine_name(),
            .names = host_names_of(hosts)},
      connections_({.request_ns = timeout_s * ns_per_s,
                    .answer_ns = answer_timeout_s * ns_per_s,
                    .most = most_connections / 2}) {}

void HttpDaemon::start() {
  const BlockedSignals blocked(BlockedSignals::all());  // the new thread inherits it
  const std::string name = socket_.name();
  daemon_ = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr,
                             &HttpDaemon::on_request, this,                                  //
                             MHD_OPTION_LISTEN_SOCKET, socket_.release(),                    //
                             MHD_OPTION_CONNECTION_LIMIT, most_connections,                  //
                             MHD_OPTION_CONNECTION_TIMEOUT, timeout_s,                       //
                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, bytes_per_connection,       //
                             MHD_OPTION_URI_LOG_CALLBACK, &HttpDaemon::on_first_line, this,  //
                             MHD_OPTION_NOTIFY_COMPLETED, &HttpDaemon::on_completed, this,   //
                             MHD_OPTION_NOTIFY_CONNECTION, &HttpDaemon::on_connection, this, MHD_OPTION_END);
  if (daemon_ == nullptr) throw system_error("cannot serve http://" + name, errno != 0 ? errno : EINVAL);
}

void HttpDaemon::stop(const std::function<void()>& let_go) {
  if (daemon_ == nullptr) return;
  const auto give_up = std::chrono::steady_clock::now() + patience_at_end;
  while (requests_ != 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  let_go();
  MHD_stop_daemon(std::exchange(daemon_, nullptr));
}

// The library keeps the returned pointer as the state of the request.
void* HttpDaemon::on_first_line(void* self, const char* /*uri*/, MHD_Connection* connection) noexcept {
  static_cast<HttpDaemon*>(self)->connections_.begin_request(socket_of(connection));
  return nullptr;
}

// The library calls this when the headers have arrived, for each part of the body, with an empty part at the end of the
// body, and once more after a request was suspended. An answer to the first call closes the connection and drops the
// rest of the body.
MHD_Result HttpDaemon::on_request(void* self, MHD_Connection* connection, const char* url, const char* method,
                                  const char* /*version*/, const char* /*body*/, std::size_t* body_size,
                                  void** state) noexcept {
  auto& daemon = *static_cast<HttpDaemon*>(self);
  try {
    if (*state == nullptr) {
      *state = new Request;
      ++daemon.requests_;
      if (announced_bytes(connection) <= most_body_bytes) return MHD_YES;
      return daemon.send(connection,
                         refusal(content_too_large, "that is more than the megabyte that is read of a request"));
    }
    auto& request = *static_cast<Request*>(*state);
    if (*body_size != 0) {
      request.body_bytes += std::exchange(*body_size, 0);
      if (request.body_bytes <= most_body_bytes) return MHD_YES;
      ::send(socket_of(connection), no_more_body.data(), no_more_body.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      return MHD_NO;
    }
    if (request.go_on) return request.go_on(connection);
    daemon.connections_.wait_no_more(socket_of(connection));
    return daemon.take(connection, url, method, request);
  } catch (const std::exception&) {
    return MHD_NO;  // there was no memory; this closes the connection
  }
}

void HttpDaemon::on_completed(void* self, MHD_Connection* connection, void** state,
                              MHD_RequestTerminationCode /*how*/) noexcept {
  auto& daemon = *static_cast<HttpDaemon*>(self);
  daemon.connections_.wait(socket_of(connection), LiveConnections::For::next_request);
  if (*state == nullptr) return;
  delete static_cast<Request*>(std::exchange(*state, nullptr));
  --daemon.requests_;
}

// The library reports the end of a connection before it closes the socket.
void HttpDaemon::on_connection(void* self, MHD_Connection* connection, void** /*state*/,
                               MHD_ConnectionNotificationCode what) noexcept {
  auto& daemon = *static_cast<HttpDaemon*>(self);
  const int socket = socket_of(connection);
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
    --daemon.open_;
    daemon.connections_.wait_no_more(socket);
  } else if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    ++daemon.open_;
    daemon.connections_.wait(socket, LiveConnections::For::request);
  }
}

MHD_Result HttpDaemon::send(MHD_Connection* connection, LiveAnswer answer) {
  connections_.wait(socket_of(connection), LiveConnections::For::answer);
  answer.is_last = open_ > most_kept;
  return send_answer(connection, std::move(answer));
}

MHD_Result HttpDaemon::take(MHD_Connection* connection, std::string_view url, std::string_view method,
                            Request& request) {
  if (auto refused = refused_client(connection, is_page(url))) return send(connection, std::move(*refused));
  const bool is_head = method == MHD_HTTP_METHOD_HEAD;
  const bool may_post = takes_post(url);
  if (method != MHD_HTTP_METHOD_GET && !is_head && !(may_post && method == MHD_HTTP_METHOD_POST)) {
    const std::string allowed = may_post ? "GET, HEAD, POST" : "GET, HEAD";
    LiveAnswer refused = refusal(MHD_HTTP_METHOD_NOT_ALLOWED, "only " + allowed + " are answered here");
    refused.extra_name = "Allow";
    refused.extra_value = allowed;
    return send(connection, std::move(refused));
  }
  return answer(connection, {.url = url, .is_head = is_head, .go_on = request.go_on});
}

// The answer to a client that is not allowed to ask; nullopt if it is allowed.
std::optional<LiveAnswer> HttpDaemon::refused_client(MHD_Connection* connection, bool for_page) const {
  const std::string_view host = header_of(connection, "Host");
  if (count_headers(connection, "Host") != 1) return refusal(MHD_HTTP_BAD_REQUEST, "one Host header is needed");
  if (!is_our_host(host, host_)) {
    return refusal(MHD_HTTP_MISDIRECTED_REQUEST, "this server does not answer to that name; ask for " +
                                                     (host_.is_loopback ? home() : "it by its address") +
                                                     ", or start it with --allow-host");
  }
  const int origins = count_headers(connection, "Origin");
  if (origins > 1 || (origins == 1 && !is_our_origin(header_of(connection, "Origin"), host)) ||
      !is_our_fetch(header_of(connection, "Sec-Fetch-Site"), header_of(connection, "Sec-Fetch-Mode"), for_page)) {
    return refusal(MHD_HTTP_FORBIDDEN, "other sites may not ask");
  }
  return std::nullopt;
}

}  // namespace profile
