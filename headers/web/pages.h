// `profile serve`: an HTTP server for pages that are made when somebody asks for them. Who makes them runs elsewhere,
// and may take minutes: meanwhile the server answers others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/fd.h"

namespace profile {

struct PageRequest {
  std::string path;  // "/report"
  std::vector<std::pair<std::string, std::string>> parameters;
};

struct PageAnswer {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  // What a browser lets it do: nothing; run the script of the flame graph; send the forms that it has.
  enum class May : std::uint8_t { nothing, run_script, send_forms };
  May may = May::nothing;
  std::string text = {};       // the body, or
  Fd file = {};                // if it is valid, this regular file
  std::string file_name = {};  // under which a browser saves it; "": it shows it
};

// Somebody who waits for a page. Any thread may call.
class PageWaiter {
 public:
  virtual ~PageWaiter() = default;
  // Sends it. Does nothing if it was called before, or if the server has ended.
  virtual void answer(PageAnswer page) = 0;
  // Whether the client is still there.
  [[nodiscard]] virtual bool is_there() const = 0;
};

struct PageServerOptions {
  std::string address = "127.0.0.1";    // numeric, IPv4 or IPv6
  std::uint16_t port = 9090;            // 0: any free port
  std::vector<std::string> hosts = {};  // as LiveOptions::hosts
  std::vector<std::string_view> paths;  // of the pages, the first page first; others are not there
};

class PageServer {
 public:
  virtual ~PageServer() = default;  // closes all connections
  // "http://127.0.0.1:9090/"
  [[nodiscard]] virtual std::string url() const = 0;
  // Closes the connections of slow clients; to be called about once a second.
  virtual void tend() = 0;
};

// Starts to listen and to answer. Those who still wait at its end are told so. `on_request` is called on the server's
// thread, and returns at once. Throws Error.
using OnPageRequest = std::function<void(PageRequest request, std::shared_ptr<PageWaiter> waiter)>;
std::unique_ptr<PageServer> make_page_server(const PageServerOptions& options, OnPageRequest on_request);

}  // namespace profile
