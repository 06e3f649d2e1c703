// Who is hung up on, and when.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <thread>

#include "deliver/live_connections.h"
#include "support/fd.h"

using namespace profile;

namespace {

constexpr std::uint64_t patience_ns = 300'000'000;
constexpr LiveConnections::Patience patience{.request_ns = patience_ns, .answer_ns = 2 * patience_ns};

class Pair {
 public:
  Pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    ours_ = Fd(ends[0]);
    theirs_ = Fd(ends[1]);
  }
  [[nodiscard]] int fd() const { return ours_.get(); }
  [[nodiscard]] bool was_hung_up_on() const {
    char byte = 0;
    return ::recv(theirs_.get(), &byte, 1, MSG_DONTWAIT) == 0;
  }

 private:
  Fd ours_;
  Fd theirs_;
};

void wait(double patiences) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(patiences * patience_ns)));
}

}  // namespace

TEST_CASE("a request is late when it has not come in time, whatever of it has begun") {
  LiveConnections connections(patience);
  const Pair silent;
  const Pair slow;
  const Pair done;
  for (const Pair* one : {&silent, &slow, &done}) connections.expect_request(one->fd());
  wait(0.6);
  connections.begin_request(slow.fd());
  connections.note_request(done.fd());
  connections.hang_up_slow();
  for (const Pair* one : {&silent, &slow, &done}) CHECK_FALSE(one->was_hung_up_on());
  wait(0.6);
  connections.hang_up_slow();
  CHECK(silent.was_hung_up_on());
  CHECK(slow.was_hung_up_on());
  CHECK_FALSE(done.was_hung_up_on());
}

TEST_CASE("a connection that rests has all the time for its next request, once, and does not rest for ever") {
  LiveConnections connections(patience);
  const Pair resting;
  const Pair next;
  for (const Pair* one : {&resting, &next}) connections.rest(one->fd());
  wait(0.6);
  connections.begin_request(next.fd());
  wait(0.6);
  connections.begin_request(next.fd());
  connections.hang_up_slow();
  CHECK(resting.was_hung_up_on());
  CHECK_FALSE(next.was_hung_up_on());
  wait(0.6);
  connections.hang_up_slow();
  CHECK(next.was_hung_up_on());
}

TEST_CASE("an answer is given longer to be taken, and not for ever") {
  LiveConnections connections(patience);
  const Pair slow;
  const Pair done;
  for (const Pair* one : {&slow, &done}) connections.expect_taken(one->fd());
  wait(1.2);
  connections.hang_up_slow();
  for (const Pair* one : {&slow, &done}) CHECK_FALSE(one->was_hung_up_on());
  connections.rest(done.fd());
  wait(0.9);
  connections.hang_up_slow();
  CHECK(slow.was_hung_up_on());
  CHECK_FALSE(done.was_hung_up_on());
}

TEST_CASE("a descriptor that was forgotten is left alone") {
  LiveConnections connections(patience);
  const Pair pair;
  connections.expect_request(pair.fd());
  connections.forget(pair.fd());
  connections.begin_request(pair.fd());
  wait(1.2);
  connections.hang_up_slow();
  CHECK_FALSE(pair.was_hung_up_on());
}
