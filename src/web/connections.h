// Clients that do not get to the end of a request, its body included, or of its answer: the HTTP library gives up on
// one that does nothing, but each byte renews its patience, and who sends or takes one now and then holds a connection
// for ever. There are few of them, and the newest may stay: who asks at once is answered, however many say nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "support/clock.h"

namespace profile {

// Of sockets by their descriptors. Any thread may call.
class LiveConnections {
 public:
  struct Patience {
    std::uint64_t request_ns = 0;  // for one to arrive, and for a connection that rests between two of them
    std::uint64_t answer_ns = 0;   // for one to be taken
    std::size_t most = 0;          // clients that are waited for at once
  };
  // `now_ns` counts up, and throws nothing.
  explicit LiveConnections(const Patience& patience, std::function<std::uint64_t()> now_ns = monotonic_ns)
      : patience_(patience), now_ns_(std::move(now_ns)) {}

  // A connection was accepted: its request is on the way. When too many are waited for, the oldest is hung up on; one
  // that takes its answer only if all do.
  void expect_request(int socket) noexcept;
  // Its request has been answered; another may come.
  void rest(int socket) noexcept;
  // The first line of a request is there. One that rested has all its time from now on, but not again and again.
  void begin_request(int socket);
  // All of the request is there.
  void note_request(int socket);
  // Its answer is being sent. One without an end is not to be told of.
  void expect_taken(int socket) noexcept;
  // Before the descriptor is closed.
  void forget(int socket) { note_request(socket); }
  // Hangs up on those that have taken too long; the library notices, and closes them.
  void hang_up_slow();

 private:
  enum class For : std::uint8_t { request, next_request, answer };
  struct Waiting {
    std::uint64_t since_ns = 0;
    std::uint64_t give_up_ns = 0;
    For what = For::request;
  };

  // Without memory for it the library's patience has to do.
  void wait(int socket, For what) noexcept;
  void make_room();

  Patience patience_;
  std::function<std::uint64_t()> now_ns_;
  std::mutex mutex_;
  std::unordered_map<int, Waiting> waiting_;
};

}  // namespace profile
