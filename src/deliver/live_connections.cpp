#include "deliver/live_connections.h"

#include <sys/socket.h>

#include "support/clock.h"

namespace profile {

void LiveConnections::expect_request(int socket) {
  const std::scoped_lock lock(mutex_);
  since_ns_[socket] = monotonic_ns();
}

void LiveConnections::note_request(int socket) {
  const std::scoped_lock lock(mutex_);
  since_ns_.erase(socket);
}

void LiveConnections::hang_up_slow() {
  const std::uint64_t now_ns = monotonic_ns();
  // With the mutex: a descriptor that is in the table is not closed yet, and so is nobody else's.
  const std::scoped_lock lock(mutex_);
  std::erase_if(since_ns_, [&](const auto& connection) {
    const auto& [socket, since_ns] = connection;
    if (now_ns - since_ns < patience_ns_) return false;
    ::shutdown(socket, SHUT_RDWR);
    return true;
  });
}

}  // namespace profile
