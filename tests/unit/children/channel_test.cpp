// Tests that the main process's end of a channel takes only what it has allowed, and that a reader of messages bounds
// what they claim. The other end may be a parser that a hostile file has taken over.
#include "children/channel.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "children/wire.h"
#include "model/string_table.h"
#include "support/fd.h"

namespace profile {
namespace {

struct Ends {
  Ends() : Ends(new_socket_pair()) {}
  explicit Ends(std::pair<Fd, Fd> ends) : ours(std::move(ends.first)), theirs(std::move(ends.second)) {}
  // Sends bytes that need not be a message.
  void send(std::string_view bytes) const { REQUIRE(::write(theirs.get(), bytes.data(), bytes.size()) > 0); }
  // As the other end sends a message, with its head.
  void send_message(std::string_view bytes) const {
    send(message_of(static_cast<std::uint32_t>(bytes.size()), std::uint32_t{0}));
    if (!bytes.empty()) send(bytes);
  }
  Channel ours;
  Fd theirs;
};

}  // namespace

TEST_CASE("a channel takes as many messages as it allows, and then is gone") {
  Ends ends;
  ends.ours.allow({.messages = 2, .bytes = 100});
  for (int i = 0; i < 3; ++i) ends.send_message("x");
  CHECK(ends.ours.take());
  CHECK(ends.ours.take());
  CHECK_FALSE(ends.ours.take());
  CHECK(ends.ours.is_gone());
  CHECK(ends.ours.is_broken());
}

TEST_CASE("a message that comes unasked ends a channel") {
  Ends ends;
  ends.send_message("x");
  CHECK_FALSE(ends.ours.take());
  CHECK(ends.ours.is_broken());
}

TEST_CASE("a channel takes as many bytes as it allows, in one message or in many") {
  for (const std::size_t size : {11, 6}) {
    Ends ends;
    ends.ours.allow({.messages = 100, .bytes = 10});
    for (int i = 0; i < 2; ++i) ends.send_message(std::string(size, 'x'));
    int taken = 0;
    while (ends.ours.take()) ++taken;
    CHECK(taken == (size == 6 ? 1 : 0));
    CHECK(ends.ours.is_broken());
  }
}

TEST_CASE("the size that a message claims is refused before its bytes come") {
  Ends ends;
  ends.ours.allow({.messages = 1, .bytes = 1000});
  ends.send(message_of(std::uint32_t{0xf0000000}, std::uint32_t{0}));
  CHECK_FALSE(ends.ours.take());
  CHECK(ends.ours.is_broken());
}

TEST_CASE("a channel gives the memory of a large message back, also when a part of the next one has come") {
  for (const std::size_t more : {0, 3}) {
    Ends ends;
    constexpr std::size_t parts = 64;
    const std::string part(32 << 10, 'x');
    ends.ours.allow({.messages = 2, .bytes = 2 * parts * part.size()});
    ends.send(message_of(static_cast<std::uint32_t>(parts * part.size()), std::uint32_t{0}));
    std::optional<Message> message;
    for (std::size_t i = 0; i < parts; ++i) {
      ends.send(i + 1 == parts ? part + std::string(more, 'y') : part);
      message = ends.ours.take();
    }
    REQUIRE(message);
    CHECK(message->bytes.size() == parts * part.size());
    CHECK_FALSE(ends.ours.take());
    CHECK(ends.ours.held_bytes() < message->bytes.size() / 4);
  }
}

TEST_CASE("an end that is only gone has broken no rule") {
  Ends ends;
  ends.theirs.reset();
  CHECK_FALSE(ends.ours.take());
  CHECK(ends.ours.is_gone());
  CHECK_FALSE(ends.ours.is_broken());
}

TEST_CASE("a descriptor is not handed to an end that does not read, and the sender does not wait") {
  Ends ends;
  const WaitingChannel to(std::move(ends.theirs));
  int given = 0;
  constexpr int most = 100'000;
  while (given < most && hand_over(to, 1, STDIN_FILENO)) ++given;
  CHECK(given > 0);
  CHECK(given < most);
}

TEST_CASE("a text that is too long fails a reader, unless it was allowed") {
  const std::string message = message_of(std::string(WireReader::most_text_bytes + 1, 'x'));
  WireReader in(message);
  CHECK(in.get<std::string>().empty());
  CHECK_FALSE(in.ok());
  WireReader allowed(message);
  allowed.allow_text(message.size());
  CHECK(allowed.get<std::string>().size() == WireReader::most_text_bytes + 1);
  CHECK(allowed.is_whole());
}

TEST_CASE("a table of more strings than allowed fails a reader") {
  StringTable strings;
  for (int i = 0; i < 4; ++i) strings.intern(std::to_string(i));
  const std::string message = message_of(strings);
  for (const std::size_t most : {3, 4}) {
    WireReader in(message);
    in.allow_strings(most);
    StringTable found;
    in.read(found);
    CHECK(in.ok() == (most == 4));
  }
}

TEST_CASE("an end that takes no descriptors is lost after some, and it is known what it has received") {
  Ends ends;
  CHECK(ends.ours.is_all_received());
  const auto send = [&ends] {
    std::vector<Fd> fds;
    fds.emplace_back(::dup(STDERR_FILENO));
    ends.ours.send("x", std::move(fds));
  };
  send();
  CHECK_FALSE(ends.ours.is_all_received());
  char buffer[64];
  REQUIRE(::read(ends.theirs.get(), buffer, sizeof buffer) > 0);
  CHECK(ends.ours.is_all_received());
  int sent = 0;
  for (; sent < 10'000 && !ends.ours.is_gone(); ++sent) send();
  CHECK(sent > 64);
  CHECK(ends.ours.is_gone());
}

TEST_CASE("a descriptor that was promised and has not come is not waited for") {
  auto [ours, theirs] = new_socket_pair();
  const WaitingChannel here(std::move(ours));
  const WaitingChannel there(std::move(theirs));
  CHECK_FALSE(take_over_at_once(here, 7));
  REQUIRE(hand_over(there, 6, STDERR_FILENO));
  REQUIRE(hand_over(there, 7, STDERR_FILENO));
  CHECK(take_over_at_once(here, 7));
  CHECK_FALSE(take_over_at_once(here, 7));
  REQUIRE(::write(there.fd(), "xxx", 3) == 3);
  CHECK_FALSE(take_over_at_once(here, 8));
}

TEST_CASE("a child that answers in a pipe can send nothing else, and its channel carries what is sent to it") {
  auto [main_ends, child_ends] = new_one_way_ends();
  const int raw_socket = child_ends.socket.get();
  Channel ours(std::move(main_ends));
  const WaitingChannel theirs(std::move(child_ends));
  ours.send("to the child");
  CHECK(theirs.receive()->bytes == "to the child");
  CHECK(ours.is_all_received());

  const std::string large(300'000, 'x');  // more than the pipe holds
  ours.allow({.messages = 3, .bytes = large.size() + 100});
  std::thread child([&] {
    theirs.send("short");
    theirs.send(large);
  });
  std::vector<std::string> got;
  while (got.size() < 2) {
    if (const auto message = ours.receive(std::chrono::seconds(60))) got.push_back(message->bytes);
    REQUIRE_FALSE(ours.is_gone());
  }
  child.join();
  CHECK(got == std::vector<std::string>{"short", large});
  CHECK(theirs.send_at_once("at once", {}));
  CHECK(ours.receive(std::chrono::seconds(60))->bytes == "at once");

  // The kernel would close an unwanted descriptor in the process that receives it, which may take for ever.
  CHECK_FALSE(hand_over(WaitingChannel(Fd(::dup(raw_socket))), 1, STDERR_FILENO));
}

TEST_CASE("the end of a child that answers in a pipe is seen") {
  auto [main_ends, child_ends] = new_one_way_ends();
  Channel ours(std::move(main_ends));
  ours.allow({.messages = 1, .bytes = 10});
  CHECK_FALSE(ours.take());
  CHECK_FALSE(ours.is_gone());
  child_ends = {};
  CHECK(ours.wait(std::chrono::milliseconds(1000)));
  CHECK_FALSE(ours.take());
  CHECK(ours.is_gone());
}

}  // namespace profile
