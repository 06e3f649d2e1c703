#include "deliver/live_connections.h"

#include <sys/socket.h>

#include <new>

namespace profile {

void LiveConnections::wait(int socket, std::uint64_t patience_ns, bool is_resting) noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    waiting_[socket] = {.give_up_ns = now_ns_() + patience_ns, .is_resting = is_resting};
  } catch (const std::bad_alloc&) {  // it may be slow, then
  }
}

void LiveConnections::expect_request(int socket) noexcept { wait(socket, patience_.request_ns, false); }

void LiveConnections::rest(int socket) noexcept { wait(socket, patience_.request_ns, true); }

void LiveConnections::expect_taken(int socket) noexcept { wait(socket, patience_.answer_ns, false); }

void LiveConnections::begin_request(int socket) {
  const std::scoped_lock lock(mutex_);
  const auto found = waiting_.find(socket);
  if (found == waiting_.end() || !found->second.is_resting) return;
  found->second = {.give_up_ns = now_ns_() + patience_.request_ns};
}

void LiveConnections::note_request(int socket) {
  const std::scoped_lock lock(mutex_);
  waiting_.erase(socket);
}

void LiveConnections::hang_up_slow() {
  const std::uint64_t now_ns = now_ns_();
  // With the mutex: a descriptor that is in the table is not closed yet, and so is nobody else's.
  const std::scoped_lock lock(mutex_);
  std::erase_if(waiting_, [&](const auto& connection) {
    const auto& [socket, waiting] = connection;
    if (now_ns < waiting.give_up_ns) return false;
    ::shutdown(socket, SHUT_RDWR);
    return true;
  });
}

}  // namespace profile
