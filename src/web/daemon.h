// What the servers of this room share: the connections and their limits, who may ask, and requests that have to wait
// for their answer. libmicrohttpd does all of it on one thread, which never waits.
#pragma once

#include <microhttpd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/clock.h"
#include "web/connections.h"
#include "web/http.h"
#include "web/requests.h"
#include "web/socket.h"

namespace profile {

class HttpDaemon {
 public:
  // The answer to a request whose connection was suspended, once it is resumed.
  using GoOn = std::function<MHD_Result(MHD_Connection*)>;
  struct Asked {
    std::string_view url;  // without its parameters
    bool is_head = false;
    GoOn& go_on;  // to be set by who suspends the connection
  };

  // Begins to listen; clients wait until start(). `hosts` as of LiveOptions. Throws Error.
  HttpDaemon(const std::string& address, std::uint16_t port, const std::vector<std::string>& hosts);
  virtual ~HttpDaemon() = default;
  HttpDaemon(const HttpDaemon&) = delete;
  HttpDaemon& operator=(const HttpDaemon&) = delete;

 protected:
  // Throws Error.
  void start();
  [[nodiscard]] bool is_started() const { return daemon_ != nullptr; }
  // The destructor of a derived class calls this, because answers need it. No connection may be suspended for ever:
  // `let_go` is called after a second in which running requests are answered, and has to resume all of them.
  void stop(const std::function<void()>& let_go);

  // "http://127.0.0.1:9090"
  [[nodiscard]] std::string origin() const { return "http://" + socket_.reachable_name(); }
  // The URL of the page with which people begin.
  [[nodiscard]] virtual std::string home() const = 0;
  // Closes the connections of slow clients; to be called about once a second.
  void hang_up_slow() { connections_.hang_up_slow(); }
  // Sends an answer on the thread of the server.
  MHD_Result send(MHD_Connection* connection, LiveAnswer answer);

  // Whether other sites may link to it.
  [[nodiscard]] virtual bool is_page(std::string_view url) const = 0;
  [[nodiscard]] virtual bool takes_post(std::string_view /*url*/) const { return false; }
  // Answers a request that is allowed.
  virtual MHD_Result answer(MHD_Connection* connection, const Asked& asked) = 0;

 private:
  struct Request;

  static void* on_first_line(void* self, const char* uri, MHD_Connection* connection) noexcept;
  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url, const char* method,
                               const char* version, const char* body, std::size_t* body_size, void** state) noexcept;
  static void on_completed(void* self, MHD_Connection* connection, void** state,
                           MHD_RequestTerminationCode how) noexcept;
  static void on_connection(void* self, MHD_Connection* connection, void** state,
                            MHD_ConnectionNotificationCode what) noexcept;
  MHD_Result take(MHD_Connection* connection, std::string_view url, std::string_view method, Request& request);
  [[nodiscard]] std::optional<LiveAnswer> refused_client(MHD_Connection* connection, bool for_page) const;

  LiveSocket socket_;
  LiveHost host_;
  LiveConnections connections_;
  std::atomic<int> requests_ = 0;
  unsigned open_ = 0;  // number of open connections; used only by the library's thread
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace profile
