// Closes connections of clients that take too long to send a request with its body, or to read its answer. The HTTP
// library closes idle connections, but each byte restarts its timeout, so a client that sends or reads a byte now and
// then holds a connection for ever. The number of waiting clients is limited and the oldest is closed first, so a
// client that sends its request at once gets an answer, however many others are silent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "support/clock.h"

namespace profile {

// Sockets are named by their descriptors. Any thread may call.
class LiveConnections {
 public:
  struct Patience {
    std::uint64_t request_ns = 0;  // for a request to arrive, and for an idle connection between two requests
    std::uint64_t answer_ns = 0;   // for the client to read an answer
    std::size_t most = 0;          // number of clients that may be waited for at the same time
  };
  // `now_ns` is a clock that never goes back and never throws.
  explicit LiveConnections(const Patience& patience, std::function<std::uint64_t()> now_ns = monotonic_ns)
      : patience_(patience), now_ns_(std::move(now_ns)) {}

  enum class For : std::uint8_t {
    request,       // a connection was accepted
    next_request,  // the request has been answered, and another one may come
    answer         // the answer is being sent; not for an answer without an end (the events)
  };
  // If too many clients are waited for, the oldest connection is shut down; connections that read an answer are chosen
  // only if there are no others. If there is no memory, only the library's own timeout applies.
  void wait(int socket, For what) noexcept;
  // The first line of a request has arrived. A connection that rested gets the full time from now on, but only once per
  // request.
  void begin_request(int socket);
  // The whole request has arrived, or the descriptor will be closed.
  void wait_no_more(int socket);
  // Shuts down the connections that have taken too long. The library notices that and closes them.
  void hang_up_slow();

 private:
  struct Waiting {
    std::uint64_t since_ns = 0;
    std::uint64_t give_up_ns = 0;
    For what = For::request;
  };

  void make_room();

  Patience patience_;
  std::function<std::uint64_t()> now_ns_;
  std::mutex mutex_;
  std::unordered_map<int, Waiting> waiting_;
};

}  // namespace profile
