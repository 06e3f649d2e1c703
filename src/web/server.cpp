// The HTTP server of the live page. libmicrohttpd answers on its own thread, and LiveFeed makes the answers on another
// one. Requests that must wait are suspended, so neither thread ever waits for them.
#include "web/view.h"

#include <microhttpd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <exception>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "output/json_writer.h"
#include "output/page.h"
#include "support/blocked_signals.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/module.h"
#include "support/text_parts.h"
#include "web/connections.h"
#include "web/feed.h"
#include "web/http.h"
#include "web/metrics.h"
#include "web/requests.h"
#include "web/saves.h"
#include "web/socket.h"

namespace profile {
namespace {

// Half of these connections may be waited for (LiveConnections). The others follow the events, wait for a profile, or
// are being closed.
constexpr unsigned most_connections = 128;
// If more connections than this are open, none is kept for a next request, so that idle ones do not keep others out.
constexpr unsigned most_kept = 16;
constexpr unsigned timeout_s = 10;
constexpr unsigned answer_timeout_s = 60;  // for a client to read a whole answer
constexpr std::size_t bytes_per_connection = std::size_t{64} << 10;
constexpr unsigned content_too_large = 413;  // a number, because the library has renamed its constant
constexpr auto patience_at_end = std::chrono::seconds(1);
// The time for our own thread to make the last answers. That takes long if there is much data and little CPU time.
constexpr auto longest_answers_at_end = std::chrono::seconds(20);

// go tool pprof asks by POST for names that it does not find in a profile, and gives up if that is refused. All known
// names are in the profile, so the answer has none.
constexpr std::string_view symbol_path = "/debug/pprof/symbol";
constexpr std::string_view no_symbols = "num_symbols: 0\n";
// The limit for the body of any request. go tool pprof sends about 19 bytes for each address without a name.
constexpr std::uint64_t most_body_bytes = std::uint64_t{1} << 20;
// This is sent directly to the socket, because the library accepts no answer in the middle of a body.
constexpr std::string_view no_more_body =
    "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

constexpr std::string_view pprof_index =
    "profile: what is served here\n"
    "  profile?seconds=N   a pprof file of the next N seconds, 30 unless told; go tool pprof reads it\n"
    "  profile?pid=PID     only this process; may be repeated, and joined by &\n";

std::string machine_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The state of a running request.
struct Request {
  std::shared_ptr<LiveCaptures::Capture> capture;  // the capture that it waits for, or null
  std::shared_ptr<LiveSaves::Save> save;           // the same of a recording
  std::uint64_t body_bytes = 0;                    // read so far
};

// The length of the body that the request announces; 0 when it announces none. The library has checked that it is a
// number.
std::uint64_t announced_bytes(MHD_Connection* connection) {
  std::string_view text = header_of(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return take_number<std::uint64_t>(text).value_or(0);
}

struct AskedCapture {
  CaptureQuery query;
  std::string refused;  // why; empty if it is not
};

AskedCapture asked_capture(MHD_Connection* connection) {
  AskedCapture asked;
  MHD_get_connection_values_n(
      connection, MHD_GET_ARGUMENT_KIND,
      [](void* to, MHD_ValueKind /*kind*/, const char* key, std::size_t key_size, const char* value,
         std::size_t value_size) noexcept {
        auto& [query, refused] = *static_cast<AskedCapture*>(to);
        refused = take_parameter(query, std::string_view(key, key_size),
                                 value == nullptr ? std::string_view() : std::string_view(value, value_size));
        return refused.empty() ? MHD_YES : MHD_NO;
      },
      &asked);
  return asked;
}

class LiveServer final : public LiveView {
 public:
  LiveServer(const LiveOptions& options, SaveRecording save)
      : path_(live_path_of(options.path)),
        socket_(options.address, options.port),
        host_{.address = options.address,
              .is_loopback = socket_.is_loopback(),
              .machine = machine_name(),
              .names = host_names_of(options.hosts)},
        longest_silence_ns_(options.longest_silence_ns),
        saves_(std::move(save)) {}

  void begin(const RunInfo& run) override {
    feed_.emplace(run, longest_silence_ns_);
    about_.run = run;
    about_.began_unix_ns = monotonic_ns() + unix_offset_ns();
    const BlockedSignals blocked(BlockedSignals::all());  // as for the thread of the feed
    const std::string name = socket_.name();
    daemon_ = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr,
                               &LiveServer::on_request, this,                                  //
                               MHD_OPTION_LISTEN_SOCKET, socket_.release(),                    //
                               MHD_OPTION_CONNECTION_LIMIT, most_connections,                  //
                               MHD_OPTION_CONNECTION_TIMEOUT, timeout_s,                       //
                               MHD_OPTION_CONNECTION_MEMORY_LIMIT, bytes_per_connection,       //
                               MHD_OPTION_URI_LOG_CALLBACK, &LiveServer::on_first_line, this,  //
                               MHD_OPTION_NOTIFY_COMPLETED, &LiveServer::on_completed, this,   //
                               MHD_OPTION_NOTIFY_CONNECTION, &LiveServer::on_connection, this, MHD_OPTION_END);
    if (daemon_ == nullptr) throw system_error("cannot serve http://" + name, errno != 0 ? errno : EINVAL);
  }

  ~LiveServer() override {
    saves_.end();
    if (daemon_ == nullptr) return;
    feed_->end();
    feed_->wait_for_answers(longest_answers_at_end);
    const auto give_up = std::chrono::steady_clock::now() + patience_at_end;
    while (requests_ != 0 && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    // No connection may be suspended when the library is stopped.
    feed_->close();
    MHD_stop_daemon(daemon_);
  }

  [[nodiscard]] std::string url() const override { return "http://" + socket_.reachable_name() + path_; }
  void add(std::shared_ptr<const Profile> profile, const Status& status) override {
    feed_->add(std::move(profile), status);
    connections_.hang_up_slow();
  }
  void end() override { feed_->end(); }

 private:
  // The library keeps the returned pointer as the state of the request.
  static void* on_first_line(void* self, const char* /*uri*/, MHD_Connection* connection) noexcept {
    static_cast<LiveServer*>(self)->connections_.begin_request(socket_of(connection));
    return nullptr;
  }

  // The library calls this when the headers have arrived, for each part of the body, with an empty part at the end of
  // the body, and once more after a request was suspended. An answer to the first call closes the connection and drops
  // the rest of the body.
  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url, const char* method,
                               const char* /*version*/, const char* /*body*/, std::size_t* body_size,
                               void** state) noexcept {
    auto& server = *static_cast<LiveServer*>(self);
    try {
      if (*state == nullptr) {
        *state = new Request;
        ++server.requests_;
        if (announced_bytes(connection) <= most_body_bytes) return MHD_YES;
        return server.send(connection,
                           refusal(content_too_large, "that is more than the megabyte that is read of a request"));
      }
      auto& request = *static_cast<Request*>(*state);
      if (*body_size != 0) {
        request.body_bytes += std::exchange(*body_size, 0);
        if (request.body_bytes <= most_body_bytes) return MHD_YES;
        ::send(socket_of(connection), no_more_body.data(), no_more_body.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        return MHD_NO;
      }
      if (request.capture) return server.answer_capture(connection, request);
      if (request.save) return server.answer_save(connection, request);
      server.connections_.wait_no_more(socket_of(connection));
      return server.answer(connection, url, method, request);
    } catch (const std::exception&) {
      return MHD_NO;  // there was no memory; this closes the connection
    }
  }

  static void on_completed(void* self, MHD_Connection* connection, void** state,
                           MHD_RequestTerminationCode /*how*/) noexcept {
    auto& server = *static_cast<LiveServer*>(self);
    server.connections_.wait(socket_of(connection), LiveConnections::For::next_request);
    if (*state == nullptr) return;
    delete static_cast<Request*>(std::exchange(*state, nullptr));
    --server.requests_;
  }

  // The library reports the end of a connection before it closes the socket.
  static void on_connection(void* self, MHD_Connection* connection, void** /*state*/,
                            MHD_ConnectionNotificationCode what) noexcept {
    auto& server = *static_cast<LiveServer*>(self);
    const int socket = socket_of(connection);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
      --server.open_;
      server.connections_.wait_no_more(socket);
    } else if (what == MHD_CONNECTION_NOTIFY_STARTED) {
      ++server.open_;
      server.connections_.wait(socket, LiveConnections::For::request);
    }
  }

  MHD_Result send(MHD_Connection* connection, LiveAnswer answer) {
    connections_.wait(socket_of(connection), LiveConnections::For::answer);
    answer.is_last = open_ > most_kept;
    return send_answer(connection, std::move(answer));
  }

  MHD_Result answer(MHD_Connection* connection, std::string_view url, std::string_view method, Request& request) {
    const bool is_head = method == MHD_HTTP_METHOD_HEAD;
    if (auto refused = refused_client(connection, url == path_)) return send(connection, std::move(*refused));
    const bool takes_post = url == symbol_path;
    if (method != MHD_HTTP_METHOD_GET && !is_head && !(takes_post && method == MHD_HTTP_METHOD_POST)) {
      const std::string allowed = takes_post ? "GET, HEAD, POST" : "GET, HEAD";
      LiveAnswer answer = refusal(MHD_HTTP_METHOD_NOT_ALLOWED, "only " + allowed + " are answered here");
      answer.extra_name = "Allow";
      answer.extra_value = allowed;
      return send(connection, std::move(answer));
    }
    if (url == path_ + "events" && !is_head) return send_events(connection, feed_->events());
    if (url == "/debug/pprof/profile") return begin_capture(connection, is_head, request);
    if (url == path_ + "recording" && saves_.is_possible()) return begin_save(connection, is_head, request);
    return send(connection, plain_answer(url));
  }

  // The answer to a client that is not allowed to ask; nullopt if it is allowed.
  [[nodiscard]] std::optional<LiveAnswer> refused_client(MHD_Connection* connection, bool for_page) const {
    const std::string_view host = header_of(connection, "Host");
    if (count_headers(connection, "Host") != 1) return refusal(MHD_HTTP_BAD_REQUEST, "one Host header is needed");
    if (!is_our_host(host, host_)) {
      return refusal(MHD_HTTP_MISDIRECTED_REQUEST, "this server does not answer to that name; ask for " +
                                                       (host_.is_loopback ? url() : "it by its address") +
                                                       ", or start it with --allow-host");
    }
    const int origins = count_headers(connection, "Origin");
    if (origins > 1 || (origins == 1 && !is_our_origin(header_of(connection, "Origin"), host)) ||
        !is_our_fetch(header_of(connection, "Sec-Fetch-Site"), header_of(connection, "Sec-Fetch-Mode"), for_page)) {
      return refusal(MHD_HTTP_FORBIDDEN, "other sites may not ask");
    }
    return std::nullopt;
  }

  // Answers that can be made at once.
  [[nodiscard]] LiveAnswer plain_answer(std::string_view url) const {
    if (url == path_) return {.type = "text/html; charset=utf-8", .body = page(), .is_page = true};
    if (url == path_ + "events") return {.type = "text/event-stream"};  // HEAD
    if (url == "/metrics") {
      return {.type = "text/plain; version=0.0.4; charset=utf-8",
              .body = metrics_text(feed_->figures(), about_.run, PROFILE_VERSION)};
    }
    if (url == "/healthz") {
      if (feed_->is_healthy()) return {.body = "ok\n"};
      return refusal(MHD_HTTP_SERVICE_UNAVAILABLE, "the run has ended, or is stuck");
    }
    if (url == symbol_path) return {.body = std::string(no_symbols)};
    if (url == "/debug/pprof/") return {.body = std::string(pprof_index)};
    if (std::string(url) + '/' == path_) {
      return {.status = MHD_HTTP_PERMANENT_REDIRECT, .extra_name = "Location", .extra_value = path_};
    }
    return refusal(MHD_HTTP_NOT_FOUND, "there is nothing here; the page is " + this->url());
  }

  [[nodiscard]] std::string page() const {
    std::ostringstream out;
    out << page_before_data(PageUse::live);
    JsonWriter json(out, JsonWriter::Context::html);
    json.begin_object();
    json.member("version", page_data_version);
    json.begin_object("live");
    json.member("events", path_ + "events");
    if (saves_.is_possible()) json.member("recording", path_ + "recording");
    json.end_object();
    write_page_run(json, about_);
    json.end_object();
    json.end_document();
    out << page_after_data();
    return std::move(out).str();
  }

  MHD_Result begin_capture(MHD_Connection* connection, bool is_head, Request& request) {
    AskedCapture asked = asked_capture(connection);
    if (!asked.refused.empty()) return send(connection, refusal(MHD_HTTP_BAD_REQUEST, std::move(asked.refused)));
    if (is_head) return send_profile(connection, {});
    request.capture = feed_->captures().begin(
        std::move(asked.query), [connection] { MHD_suspend_connection(connection); },
        [connection] { MHD_resume_connection(connection); }, [connection] { return is_gone(connection); });
    if (request.capture) return MHD_YES;
    return send(connection, overloaded("too many profiles are being taken, or the run has ended"));
  }

  MHD_Result answer_capture(MHD_Connection* connection, Request& request) {
    if (request.capture->answer.empty()) {
      if (is_gone(connection)) {
        return send(connection, refusal(MHD_HTTP_BAD_REQUEST,
                                        "the connection was closed at your end, and so nobody seemed to wait for the "
                                        "profile; keep it open until the answer is there"));
      }
      return send(connection, overloaded("nothing was sampled before the run ended, or there is no memory"));
    }
    return send_profile(connection, std::move(request.capture->answer));
  }

  MHD_Result begin_save(MHD_Connection* connection, bool is_head, Request& request) {
    const AskedCapture asked = asked_capture(connection);
    if (!asked.refused.empty()) return send(connection, refusal(MHD_HTTP_BAD_REQUEST, asked.refused));
    if (!asked.query.tgids.empty()) {
      return send(connection, refusal(MHD_HTTP_BAD_REQUEST, "a recording has all processes; profile report has -p"));
    }
    if (is_head) return send_recording(connection, {});
    request.save = saves_.begin(
        static_cast<double>(asked.query.seconds), [connection] { MHD_suspend_connection(connection); },
        [connection] { MHD_resume_connection(connection); });
    if (request.save) return MHD_YES;
    return send(connection, overloaded("too many recordings are being saved, or the run has ended"));
  }

  MHD_Result answer_save(MHD_Connection* connection, Request& request) {
    if (request.save->answer.empty()) {
      return send(connection, overloaded("nothing is recorded: the run has ended, libsqlite3 is not there, or there is "
                                         "no memory"));
    }
    return send_recording(connection, std::move(request.save->answer));
  }

  MHD_Result send_recording(MHD_Connection* connection, std::string file) {
    return send(connection, {.type = "application/vnd.sqlite3",
                             .body = std::move(file),
                             .extra_name = "Content-Disposition",
                             .extra_value = "attachment; filename=\"profile.db\""});
  }

  // Sends the profile with the file name that Go's own servers use.
  MHD_Result send_profile(MHD_Connection* connection, std::string file) {
    return send(connection, {.type = "application/octet-stream",
                             .body = std::move(file),
                             .extra_name = "Content-Disposition",
                             .extra_value = "attachment; filename=\"profile\""});
  }

  std::string path_;
  LiveSocket socket_;
  LiveHost host_;
  Profile about_;  // the run; it has no rows
  std::uint64_t longest_silence_ns_;
  LiveSaves saves_;
  std::optional<LiveFeed> feed_;  // set from begin() on
  LiveConnections connections_{
      {.request_ns = timeout_s * ns_per_s, .answer_ns = answer_timeout_s * ns_per_s, .most = most_connections / 2}};
  std::atomic<int> requests_ = 0;
  unsigned open_ = 0;  // number of open connections; used only by the library's thread
  MHD_Daemon* daemon_ = nullptr;
};

constexpr LiveViewModule web{.make = make_live_view};

}  // namespace

std::unique_ptr<LiveView> make_live_view(const LiveOptions& options, SaveRecording save) {
  return std::make_unique<LiveServer>(options, std::move(save));
}

extern "C" const ModuleEntry profile_module_web{.version = PROFILE_VERSION, .functions = &web};

}  // namespace profile
