// Tests which connections the server closes, and when.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>

#include "support/fd.h"
#include "web/connections.h"

using namespace profile;
using For = LiveConnections::For;

namespace {

constexpr std::uint64_t patience_ns = 10'000'000'000;
constexpr LiveConnections::Patience patience{.request_ns = patience_ns, .answer_ns = 2 * patience_ns, .most = 3};

// Connections with a clock that the test moves.
struct Timed {
  std::uint64_t now_ns = 1;
  LiveConnections connections{patience, [this] { return now_ns; }};

  void wait(double patiences) { now_ns += static_cast<std::uint64_t>(patiences * patience_ns); }
};

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

}  // namespace

TEST_CASE("a request is late if it is not complete in time") {
  Timed timed;
  LiveConnections& connections = timed.connections;
  const Pair silent;
  const Pair slow;
  const Pair done;
  for (const Pair* one : {&silent, &slow, &done}) connections.wait(one->fd(), For::request);
  timed.wait(0.6);
  connections.begin_request(slow.fd());
  connections.wait_no_more(done.fd());
  connections.hang_up_slow();
  for (const Pair* one : {&silent, &slow, &done}) CHECK_FALSE(one->was_hung_up_on());
  timed.wait(0.6);
  connections.hang_up_slow();
  CHECK(silent.was_hung_up_on());
  CHECK(slow.was_hung_up_on());
  CHECK_FALSE(done.was_hung_up_on());
}

TEST_CASE("a resting connection has the full time for its next request, once, and does not rest for ever") {
  Timed timed;
  LiveConnections& connections = timed.connections;
  const Pair resting;
  const Pair next;
  for (const Pair* one : {&resting, &next}) connections.wait(one->fd(), For::next_request);
  timed.wait(0.6);
  connections.begin_request(next.fd());
  timed.wait(0.6);
  connections.begin_request(next.fd());
  connections.hang_up_slow();
  CHECK(resting.was_hung_up_on());
  CHECK_FALSE(next.was_hung_up_on());
  timed.wait(0.6);
  connections.hang_up_slow();
  CHECK(next.was_hung_up_on());
}

TEST_CASE("a client has more time to take an answer, and not endless time") {
  Timed timed;
  LiveConnections& connections = timed.connections;
  const Pair slow;
  const Pair done;
  for (const Pair* one : {&slow, &done}) connections.wait(one->fd(), For::answer);
  timed.wait(1.2);
  connections.hang_up_slow();
  for (const Pair* one : {&slow, &done}) CHECK_FALSE(one->was_hung_up_on());
  connections.wait(done.fd(), For::next_request);
  timed.wait(0.9);
  connections.hang_up_slow();
  CHECK(slow.was_hung_up_on());
  CHECK_FALSE(done.was_hung_up_on());
}

TEST_CASE("the oldest connection is closed if there are too many, and one that takes an answer is closed last") {
  Timed timed;
  LiveConnections& connections = timed.connections;
  const std::array<Pair, 6> pairs;
  connections.wait(pairs[0].fd(), For::request);
  connections.wait_no_more(pairs[0].fd());
  connections.wait(pairs[0].fd(), For::answer);
  for (const int next : {1, 2}) {
    timed.wait(0.01);
    connections.wait(pairs[next].fd(), For::request);
  }
  // A connection that rests twice counts once.
  connections.wait(pairs[1].fd(), For::next_request);
  for (const Pair& pair : pairs) CHECK_FALSE(pair.was_hung_up_on());
  timed.wait(0.01);
  connections.wait(pairs[1].fd(), For::next_request);
  timed.wait(0.01);
  connections.wait(pairs[3].fd(), For::request);
  CHECK(pairs[2].was_hung_up_on());
  timed.wait(0.01);
  connections.wait(pairs[4].fd(), For::request);
  CHECK(pairs[1].was_hung_up_on());
  for (const int next : {3, 4}) connections.wait(pairs[next].fd(), For::answer);
  connections.wait(pairs[5].fd(), For::request);
  CHECK(pairs[0].was_hung_up_on());
  for (const int next : {3, 4, 5}) CHECK_FALSE(pairs[next].was_hung_up_on());
}

TEST_CASE("a forgotten descriptor stays open") {
  Timed timed;
  LiveConnections& connections = timed.connections;
  const Pair pair;
  connections.wait(pair.fd(), For::request);
  connections.wait_no_more(pair.fd());
  connections.begin_request(pair.fd());
  timed.wait(1.2);
  connections.hang_up_slow();
  CHECK_FALSE(pair.was_hung_up_on());
}
