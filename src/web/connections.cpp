#include "web/connections.h"

#include <sys/socket.h>

#include <algorithm>
#include <new>

namespace profile {

void LiveConnections::wait(int socket, For what) noexcept {
  const std::uint64_t now_ns = now_ns_();
  const std::uint64_t patience_ns = what == For::answer ? patience_.answer_ns : patience_.request_ns;
  const std::scoped_lock lock(mutex_);
  try {
    if (!waiting_.contains(socket)) make_room();
    waiting_[socket] = {.since_ns = now_ns, .give_up_ns = now_ns + patience_ns, .what = what};
  } catch (const std::bad_alloc&) {  // this connection is then not limited
  }
}

void LiveConnections::make_room() {
  if (waiting_.size() < patience_.most || waiting_.empty()) return;
  const auto oldest = std::ranges::min_element(waiting_, {}, [](const auto& connection) {
    const Waiting& waiting = connection.second;
    return std::pair(waiting.what == For::answer, waiting.since_ns);
  });
  ::shutdown(oldest->first, SHUT_RDWR);
  waiting_.erase(oldest);
}

void LiveConnections::begin_request(int socket) {
  const std::scoped_lock lock(mutex_);
  const auto found = waiting_.find(socket);
  if (found == waiting_.end() || found->second.what != For::next_request) return;
  const std::uint64_t now_ns = now_ns_();
  found->second = {.since_ns = now_ns, .give_up_ns = now_ns + patience_.request_ns};
}

void LiveConnections::wait_no_more(int socket) {
  const std::scoped_lock lock(mutex_);
  waiting_.erase(socket);
}

void LiveConnections::hang_up_slow() {
  const std::uint64_t now_ns = now_ns_();
  // The mutex is held: a descriptor in the table is not closed yet, so it cannot belong to another connection.
  const std::scoped_lock lock(mutex_);
  std::erase_if(waiting_, [&](const auto& connection) {
    const auto& [socket, waiting] = connection;
    if (now_ns < waiting.give_up_ns) return false;
    ::shutdown(socket, SHUT_RDWR);
    return true;
  });
}

}  // namespace profile
