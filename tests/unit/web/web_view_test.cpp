// Tests the server of the live view with real sockets. The clients are correct, silent, broken or hostile.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "pprof_reader.h"
#include "support/error.h"
#include "support/fd.h"
#include "web/view.h"
#include "web_profile.h"

using namespace profile;
using test::live_tick_of_now;

namespace {

using Clock = std::chrono::steady_clock;

// In seconds. Everything that ends at all takes less, however busy the machine is.
constexpr int hang_s = 60;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::unique_ptr<LiveView> begun_view(const LiveOptions& options) {
  auto view = make_live_view(options);
  view->begin({});
  return view;
}

std::uint16_t port_of(const LiveView& view) {
  const std::string url = view.url();
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

class Client {
 public:
  explicit Client(const LiveView& view, int receive_bytes = 0)
      : port_(port_of(view)), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    REQUIRE(fd_);
    if (receive_bytes != 0) ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    const timeval patience{.tv_sec = hang_s, .tv_usec = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port_);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  }

  Client& send(const std::string& text) {
    // The server may close the connection before all is sent.
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t part = ::send(fd_.get(), text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (part <= 0) break;
      done += static_cast<std::size_t>(part);
    }
    return *this;
  }
  Client& ask(const std::string& path, const std::string& headers = {}, const std::string& method = "GET") {
    return send(method + ' ' + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n" + headers +
                "\r\n");
  }
  Client& send_no_more() {
    ::shutdown(fd_.get(), SHUT_WR);
    return *this;
  }
  // Everything that was read when `text` has arrived, when the connection is closed, or when the time is over.
  std::string read_until(const std::string& text) {
    std::array<char, 65536> buffer{};
    while (text.empty() || got_.find(text) == std::string::npos) {
      const ssize_t size = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
      if (size < 0 && errno == EINTR) continue;  // a socket with a time limit, after the process was stopped
      was_late_ = size < 0 && errno == EAGAIN;
      if (size <= 0) break;
      got_.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return got_;
  }
  std::string read_all() { return read_until({}); }
  // Whether the last read ran out of time.
  [[nodiscard]] bool was_late() const { return was_late_; }
  // Whether the server keeps the connection open. Unread bytes stay unread.
  [[nodiscard]] bool is_open() const {
    char byte = 0;
    const ssize_t size = ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return size > 0 || (size < 0 && errno == EAGAIN);
  }
  // The status code; 0: no answer.
  int status() {
    const std::string answer = read_until("\r\n");
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
  }

 private:
  std::uint16_t port_;
  Fd fd_;
  std::string got_;
  bool was_late_ = false;
};

int status_of(const LiveView& view, const std::string& path, const std::string& headers = {},
              const std::string& method = "GET") {
  return Client(view).ask(path, headers, method).status();
}
constexpr const char* once = "Connection: close\r\n";
std::string answer_of(const LiveView& view, const std::string& path) { return Client(view).ask(path, once).read_all(); }
std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

// The limit is so long that no slow test case counts as stuck.
LiveOptions any_port() {
  return {.address = "127.0.0.1", .port = 0, .path = "/", .longest_silence_ns = 600'000'000'000};
}

void add(LiveView& view, int value = 1) {
  auto tick = live_tick_of_now({{{1, 2, 3}, static_cast<std::uint64_t>(value)}});
  view.add(std::move(tick), {});
}

// Calls add() again and again while it exists.
class Adding {
 public:
  explicit Adding(LiveView& view)
      : thread_([&view](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            add(view);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
        }) {}

 private:
  std::jthread thread_;
};

// Calls add() until `client` has read `text`.
void add_until(LiveView& view, Client& client, const std::string& text) {
  const Adding adding(view);
  CHECK(client.read_until(text).find(text) != std::string::npos);
}

template <class Condition>
void wait_until(const Condition& holds) {
  const auto begin = Clock::now();
  while (!holds()) {
    REQUIRE(seconds_since(begin) < hang_s);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Waits until `count` clients capture a profile or follow the events. Then their requests have arrived.
void wait_until_there_are(LiveView& view, const std::string& what, int count) {
  const std::string line = "\nprofile_live_" + what + ' ' + std::to_string(count) + '\n';
  CAPTURE(line);
  wait_until([&] { return answer_of(view, "/metrics").find(line) != std::string::npos; });
}

// Waits until the view has processed some ticks. At its end, the view soon gives up the ticks that it has not
// processed.
void wait_until_some_is_shown(LiveView& view) {
  wait_until([&] { return answer_of(view, "/metrics").find("\nprofile_live_stack_nodes 0\n") == std::string::npos; });
}

}  // namespace

TEST_CASE("the page, the events, the metrics and the health are served, and nothing else") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  add(view);
  const std::string page = answer_of(view, "/");
  CHECK(page.starts_with("HTTP/1.1 200 "));
  CHECK(page.find("{\"version\":1,\"live\":{\"events\":\"/events\"},\"run\":{") != std::string::npos);
  for (const char* header :
       {"Content-Security-Policy: default-src 'none';", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
        "Cache-Control: no-store", "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin"}) {
    CAPTURE(header);
    CHECK(page.find(header) != std::string::npos);
    CHECK(answer_of(view, "/metrics").find(header) != std::string::npos);
  }
  CHECK(answer_of(view, "/metrics").find("\nprofile_live_ticks_total 1\n") != std::string::npos);
  CHECK(body_of(answer_of(view, "/healthz")) == "ok\n");
  CHECK(status_of(view, "/debug/pprof/") == 200);
  for (const char* path :
       {"/x", "/events/", "/healthz/", "/metrics?", "//", "/..", "/%2e%2e/", "/debug/pprof/cmdline", "*"}) {
    CAPTURE(path);
    CHECK(status_of(view, path) == (std::string_view(path) == "/metrics?" ? 200 : 404));
  }
  view.end();
  CHECK(status_of(view, "/healthz") == 503);
}

TEST_CASE("a silent run is reported as unhealthy") {
  LiveOptions options = any_port();
  CHECK(LiveOptions{}.longest_silence_ns == 2'000'000'000);
  options.longest_silence_ns = 1;
  const auto view = begun_view(options);
  add(*view);
  CHECK(body_of(answer_of(*view, "/healthz")) == "the run has ended, or is stuck\n");
}

TEST_CASE("the policy in the header equals the policy of the page, without inline rights") {
  const auto view = begun_view(any_port());
  const std::string page = answer_of(*view, "/");
  const auto policy_of = [&page](const std::string& before, char end) {
    const std::size_t at = page.find(before) + before.size();
    return page.substr(at, page.find(end, at) - at);
  };
  const std::string own = policy_of("http-equiv=\"Content-Security-Policy\" content=\"", '"');
  CHECK(own.find("script-src 'sha256-") != std::string::npos);
  CHECK(policy_of("\r\nContent-Security-Policy: ", '\r') == own + "; frame-ancestors 'none'");
}

TEST_CASE("a client is answered beside a thousand silent clients") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  struct rlimit files {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  const auto most = std::min<std::size_t>(1000, files.rlim_cur - 300);
  std::vector<Client> silent;
  silent.reserve(most);
  const auto open = [&] {
    return std::count_if(silent.begin(), silent.end(), [](const Client& one) { return one.is_open(); });
  };
  for (std::size_t i = 0; i < most; ++i) {
    silent.emplace_back(view);
    // Half of the clients send one byte, because a first byte must not protect a connection.
    if (i % 2 == 0) silent.back().send("G");
    if (i % 100 != 99) continue;
    const auto begin = Clock::now();
    CHECK(status_of(view, "/healthz") == 200);
    // The server closes the oldest to make room, not after their ten seconds of silence.
    while (open() > 64 && seconds_since(begin) < 8) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(open() <= 64);
  }
}

TEST_CASE("the server answers HEAD like GET, and refuses other methods") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  for (const char* path : {"/", "/events", "/metrics", "/healthz", "/debug/pprof/profile"}) {
    CAPTURE(path);
    const std::string answer = Client(view).ask(path, once, "HEAD").read_all();
    CHECK(answer.starts_with("HTTP/1.1 200 "));
    CHECK(body_of(answer).empty());
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"}) {
      CAPTURE(method);
      const std::string refused =
          Client(view).ask(path, "Content-Length: 3\r\n", method).send("abc").read_until("\r\n\r\n");
      CHECK(refused.starts_with("HTTP/1.1 405 "));
      CHECK(refused.find("\r\nAllow: GET, HEAD\r\n") != std::string::npos);
    }
  }
  const std::string refused = Client(view).ask("/debug/pprof/symbol", once, "PUT").read_all();
  CHECK(refused.find("\r\nAllow: GET, HEAD, POST\r\n") != std::string::npos);
  CHECK(body_of(refused) == "only GET, HEAD, POST are answered here\n");
}

TEST_CASE("a connection is kept for the next request, even if that was already sent") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  add(view);
  Client client(view);
  client.ask("/healthz").ask("/debug/pprof/symbol", "Content-Length: 3\r\n", "POST").send("0x1").ask("/x");
  client.ask("/metrics", "Content-Length: 3\r\n", "PUT").send("abc").read_until("are answered here\n");
  const std::string answers = client.ask("/healthz", once).read_all();
  std::vector<std::string> statuses;
  for (std::size_t at = 0; (at = answers.find("HTTP/1.1 ", at)) != std::string::npos; at += 9) {
    statuses.push_back(answers.substr(at + 9, 3));
  }
  CHECK(statuses == std::vector<std::string>{"200", "200", "404", "405", "200"});
  CHECK(answers.find("\r\nConnection: close\r\n") > answers.rfind("HTTP/1.1 "));
}

TEST_CASE("clients that keep their connections leave room for other clients") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  std::vector<Client> clients;
  clients.reserve(40);
  int kept = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string answer = clients.emplace_back(view).ask("/healthz").read_until("ok\n");
    CHECK(answer.ends_with("\r\n\r\nok\n"));
    if (answer.find("\r\nConnection: close\r\n") == std::string::npos) {
      ++kept;
    } else {
      clients.back().read_all();
    }
  }
  // A connection that has rested for ten seconds makes room for others.
  CHECK(kept >= 16);
  CHECK(std::count_if(clients.begin(), clients.end(), [](const Client& one) { return one.is_open(); }) <= 16);
}

TEST_CASE("a client that has stopped sending, but still reads, is answered") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  CHECK(Client(view).ask("/healthz").send_no_more().status() == 200);
  Client body(view);
  body.ask("/debug/pprof/symbol", "Content-Length: 1\r\n", "POST").send("0").send_no_more();
  CHECK(body.status() == 200);
  // The server cannot tell such a client from one that has gone, so it refuses long requests. The client gets the
  // reason, unless the library sees the end first and closes the connection.
  Client capture(view);
  capture.ask("/debug/pprof/profile?seconds=3600").send_no_more();
  const Adding adding(view);
  const std::string answer = capture.read_all();
  CHECK_FALSE(capture.was_late());
  if (!answer.empty()) {
    CHECK(answer.starts_with("HTTP/1.1 400 "));
    CHECK(body_of(answer).starts_with("the connection was closed at your end"));
  }
}

TEST_CASE("foreign names and origins are refused") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  const std::string host = "127.0.0.1:" + std::to_string(port_of(view));
  for (const char* path : {"/", "/events", "/metrics", "/debug/pprof/profile"}) {
    CAPTURE(path);
    const std::string get = "GET " + std::string(path) + " HTTP/1.1\r\n";
    CHECK(Client(view).send(get + "Host: evil.com\r\n\r\n").status() == 421);
    CHECK(Client(view).send(get + "Host: 10.0.0.1\r\n\r\n").status() == 421);
    CHECK(Client(view).send(get + "Host:\r\n\r\n").status() == 421);
    CHECK(Client(view).send(get + "\r\n").status() == 400);
    CHECK(Client(view).send(get + "Host: localhost\r\nHost: evil.com\r\n\r\n").status() == 400);
    CHECK(status_of(view, path, "Origin: http://evil.com\r\n") == 403);
    CHECK(status_of(view, path, "Origin: null\r\n") == 403);
    CHECK(status_of(view, path, "Origin: http://" + host + "\r\nOrigin: http://evil.com\r\n") == 403);
    CHECK(status_of(view, path, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n") == 403);
  }
  CHECK(status_of(view, "/", "Origin: http://" + host + "\r\n") == 200);
  CHECK(status_of(view, "/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n") == 200);
}

TEST_CASE("a chosen path has the page and the events below it") {
  LiveOptions options = any_port();
  options.path = "live";
  const auto view_made = begun_view(options);
  LiveView& view = *view_made;
  CHECK(view.url().ends_with("/live/"));
  CHECK(answer_of(view, "/live/").find("\"events\":\"/live/events\"") != std::string::npos);
  CHECK(answer_of(view, "/live").find("\r\nLocation: /live/\r\n") != std::string::npos);
  CHECK(status_of(view, "/") == 404);
  CHECK(status_of(view, "/events") == 404);
  CHECK(status_of(view, "/healthz") == 200);
}

TEST_CASE("an address that fails is named, with advice") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  LiveOptions options = any_port();
  options.port = port_of(view);
  const auto error_of = [](const LiveOptions& wrong) -> std::string {
    try {
      begun_view(wrong);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  CHECK(error_of(options) == "cannot listen on 127.0.0.1:" + std::to_string(options.port) +
                                 ": address already in use; -R names another port");
  for (const char* address : {"", "localhost", "127.0.0.1:80", "300.1.1.1", "[::1]"}) {
    options.address = address;
    CHECK(error_of(options).starts_with("--listen " + std::string(address) + ": not an address"));
  }
  options.address = "192.0.2.1";
  CHECK(error_of(options).starts_with("cannot listen on 192.0.2.1:"));
}

TEST_CASE("events are sent when they are added, and the end is sent last") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  add(view, 5);
  Client client(view);
  client.ask("/events");
  CHECK(client.read_until("\nevent: hello\n").find("Content-Type: text/event-stream") != std::string::npos);
  add_until(view, client, "event: tick\n");
  view.end();
  const std::string all = client.read_all();
  CHECK(all.find("event: end\n") != std::string::npos);
}

TEST_CASE("sixteen clients can follow the events, and a new one can come after one has gone") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  std::vector<Client> clients;
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back(view).ask("/events");
    CHECK(clients.back().status() == 200);
  }
  CHECK(status_of(view, "/events") == 503);
  clients.pop_back();
  // The server notices that a client has gone when it sends something to it.
  wait_until([&] {
    add(view);
    return status_of(view, "/events") == 200;
  });
}

TEST_CASE("a profile of the next seconds has exactly the samples that are added in them") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  add(view, 1000);
  Client client(view);
  client.ask("/debug/pprof/profile?seconds=3", once);
  wait_until_there_are(view, "captures", 1);
  // A tick that began before the request does not count.
  auto early = live_tick_of_now({{{9}, 500}});
  early->began_ns = 1;
  view.add(std::move(early), {});
  for (int i = 0; i < 10; ++i) add(view, 7);
  const std::string answer = client.read_all();
  CHECK(answer.find("Content-Type: application/octet-stream") != std::string::npos);
  CHECK(answer.find("Content-Disposition: attachment; filename=\"profile\"") != std::string::npos);
  const test::PprofProfile file = test::PprofReader(body_of(answer)).profile();
  CHECK(file.total(0) == 21);
}

TEST_CASE("a profile of the next seconds is right for any time of the wall clock") {
  for (const std::uint64_t unix_ns : {std::uint64_t{1}, std::uint64_t{4'000'000'000'000'000'000}}) {
    CAPTURE(unix_ns);
    const auto view_made = begun_view(any_port());
    LiveView& view = *view_made;
    Client client(view);
    client.ask("/debug/pprof/profile?seconds=2", once);
    wait_until_there_are(view, "captures", 1);
    auto early = live_tick_of_now({{{9}, 500}});
    early->began_ns = 1;
    early->began_unix_ns = unix_ns;
    view.add(std::move(early), {});
    for (int i = 0; i < 3; ++i) {
      auto tick = live_tick_of_now({{{1, 2}, 7}});
      tick->began_unix_ns = unix_ns;
      view.add(std::move(tick), {});
    }
    CHECK(test::PprofReader(body_of(client.read_all())).profile().total(0) == 14);
  }
}

TEST_CASE("invalid seconds are refused") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  for (const char* seconds : {"=abc", "=0", "=-1", "=1e9", "=99999999999", "=", "", "=1%00", "=3601", "=1&seconds=x"}) {
    CAPTURE(seconds);
    CHECK(status_of(view, "/debug/pprof/profile?seconds" + std::string(seconds)) == 400);
  }
}

TEST_CASE("a few profiles can run at once, and the place of a client that has gone is free again") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  {
    std::vector<Client> clients;
    for (int i = 0; i < 4; ++i) clients.emplace_back(view).ask("/debug/pprof/profile?seconds=3600");
    wait_until_there_are(view, "captures", 4);
    const std::string refused = answer_of(view, "/debug/pprof/profile");
    CHECK(refused.starts_with("HTTP/1.1 503 "));
    CHECK(refused.find("\r\nRetry-After: ") != std::string::npos);
  }
  // The next tick notices that the clients have gone.
  add(view);
  wait_until_there_are(view, "captures", 0);
  Client client(view);
  client.ask("/debug/pprof/profile?seconds=1");
  wait_until_there_are(view, "captures", 1);
  for (int i = 0; i < 3; ++i) add(view);
  CHECK(client.status() == 200);
}

TEST_CASE("a request for names by POST, as from go tool pprof, gets none") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{1'000'000}}) {
    CAPTURE(size);
    Client client(view);
    client.ask("/debug/pprof/symbol", "Content-Length: " + std::to_string(size) + "\r\n" + once, "POST");
    CHECK(body_of(client.send(std::string(size, '0')).read_all()) == "num_symbols: 0\n");
  }
}

TEST_CASE("a body that is too large is refused, with and without a stated length") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  for (const char* path : {"/debug/pprof/symbol", "/healthz"}) {
    CAPTURE(path);
    for (const char* size : {"1048577", "100000000000", "18446744073709551616"}) {
      CAPTURE(size);
      CHECK(status_of(view, path, "Content-Length: " + std::string(size) + "\r\n", "POST") == 413);
    }
    Client chunked(view);
    chunked.ask(path, "Transfer-Encoding: chunked\r\n", "POST");
    for (int i = 0; i < 3; ++i) chunked.send("80000\r\n" + std::string(0x80000, '0') + "\r\n");
    CHECK(chunked.send("0\r\n\r\n").status() == 413);
  }
  Client endless(view);
  endless.ask("/healthz", "Content-Length: 100000000000\r\n").send(std::string(30'000'000, '0'));
  CHECK(status_of(view, "/healthz") == 200);
}

TEST_CASE("the end of the run answers waiting clients, and does not wait for clients that do not read") {
  const auto begin_of = [](LiveView& view, Client& client, const char* path, const char* what) {
    client.ask(path);
    wait_until_there_are(view, what, 1);
    add(view, 9);
  };
  auto view = begun_view(any_port());
  Client capture(*view);
  begin_of(*view, capture, "/debug/pprof/profile?seconds=100", "captures");
  Client events(*view);
  begin_of(*view, events, "/events", "clients");
  wait_until_some_is_shown(*view);
  Client silent(*view);
  Client half(*view);
  half.send("GET / HTTP/1.1\r\nHost: 127");
  const auto begin = Clock::now();
  view->end();
  CHECK(capture.status() == 200);
  CHECK(events.read_all().find("event: end\n") != std::string::npos);
  view.reset();
  CHECK(seconds_since(begin) < hang_s);
  CHECK(silent.read_all().empty());
  CHECK(half.read_all().empty());
}

TEST_CASE("a client gets an error if the run ends without samples") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  Client client(view);
  client.ask("/debug/pprof/profile");
  wait_until_there_are(view, "captures", 1);
  view.end();
  CHECK(client.status() == 503);
}

TEST_CASE("clients that read nothing delay no run, no other client and no end") {
  auto view = begun_view(any_port());
  std::vector<test::LiveStack> stacks;
  for (int i = 0; i < 20'000; ++i) stacks.push_back({.leaf_first = {i, i / 100, i / 1000}});
  view->add(live_tick_of_now(stacks), {});
  std::vector<Client> stuck;
  stuck.reserve(8);
  for (int i = 0; i < 8; ++i) stuck.emplace_back(*view, 4096).ask("/events");
  const auto begin = Clock::now();
  for (int i = 0; i < 100; ++i) view->add(live_tick_of_now({{{i}, 1}}), {});
  CHECK(seconds_since(begin) < hang_s);
  Client reader(*view);
  reader.ask("/events");
  add_until(*view, reader, "event: tick\n");
  const auto end = Clock::now();
  view.reset();
  CHECK(seconds_since(end) < hang_s);
}

TEST_CASE("a hundred clients are all answered at the same time") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  std::vector<Client> clients;
  clients.reserve(100);
  for (int i = 0; i < 100; ++i) clients.emplace_back(view).ask("/healthz", "Connection: close\r\n");
  int answered = 0;
  for (Client& client : clients) answered += client.status() == 200 ? 1 : 0;
  CHECK(answered == 100);
}

TEST_CASE("invalid and huge requests are refused, and the server continues") {
  const auto view_made = begun_view(any_port());
  LiveView& view = *view_made;
  CHECK(status_of(view, '/' + std::string(500'000, 'a')) >= 400);
  CHECK(status_of(view, "/", "X: " + std::string(500'000, 'a') + "\r\n") >= 400);
  std::string headers;
  for (int i = 0; i < 5000; ++i) headers += "X" + std::to_string(i) + ": y\r\n";
  CHECK(status_of(view, "/", headers) >= 400);
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const std::string& text : {bytes + bytes + "\r\n\r\n", std::string("\r\n\r\n\r\n"), std::string("GET\r\n\r\n"),
                                  "GET /" + bytes + " HTTP/1.1\r\n\r\n", std::string("GET / HTTP/9.9\r\n\r\n")}) {
    Client(view).send(text);  // and closes
    CHECK(status_of(view, "/healthz") == 200);
  }
  for (int i = 0; i < 50; ++i) Client(view).ask("/");  // closed before the answer is read
  CHECK(status_of(view, "/healthz") == 200);
}

TEST_CASE("the threads of the server take no signals") {
  const auto threads = [] {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) all.insert(entry.path());
    return all;
  };
  const std::set<std::string> before = threads();
  const auto view = begun_view(any_port());
  CHECK(status_of(*view, "/healthz") == 200);
  int found = 0;
  for (const std::string& thread : threads()) {
    if (before.contains(thread)) continue;
    ++found;
    std::ifstream status(thread + "/status");
    std::string line;
    while (std::getline(status, line) && !line.starts_with("SigBlk:")) {
    }
    CAPTURE(line);
    REQUIRE(line.starts_with("SigBlk:"));
    const std::uint64_t blocked = std::stoull(line.substr(7), nullptr, 16);
    for (const int number : {SIGINT, SIGTERM, SIGCHLD, SIGUSR1, SIGALRM}) CHECK((blocked >> (number - 1) & 1) == 1);
  }
  CHECK(found == 2);  // the threads of the library and of the feed
}
