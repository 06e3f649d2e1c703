// Clients that do not get to the end of a request: the HTTP library gives up on one that says nothing, but each byte
// renews its patience, and who sends one now and then holds a connection for ever. There are few of them.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace profile {

// Of sockets by their descriptors. Any thread may call.
class LiveConnections {
 public:
  // `patience_ns`: how long a request may take to arrive.
  explicit LiveConnections(std::uint64_t patience_ns) : patience_ns_(patience_ns) {}

  // A connection was accepted, or its request has been answered and another may come.
  void expect_request(int socket);
  // The request is there.
  void note_request(int socket);
  // Before the descriptor is closed.
  void forget(int socket) { note_request(socket); }
  // Hangs up on those that have taken too long; the library notices, and closes them.
  void hang_up_slow();

 private:
  std::uint64_t patience_ns_;
  std::mutex mutex_;
  std::unordered_map<int, std::uint64_t> since_ns_;  // monotonic
};

}  // namespace profile
