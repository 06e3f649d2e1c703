// Tests the stream of events and its readers, without a network.
// A reader that reads gets every event; a reader that does not read costs nothing.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "web/events.h"

using namespace profile;
using State = LiveEvents::Reader::State;

namespace {

struct Client {
  explicit Client(LiveEvents& events)
      : reader(
            events, [this] { ++pauses; }, [this] { ++wakes; }) {}

  // Reads everything that is ready, `block` bytes at a time.
  std::string take(std::size_t block = 1000) {
    std::string all;
    std::string buffer(block, '\0');
    for (;;) {
      std::size_t size = block;
      state = reader.read(buffer.data(), size);
      if (state != State::some) return all;
      REQUIRE(size <= block);
      REQUIRE(size > 0);
      all.append(buffer, 0, size);
    }
  }

  int pauses = 0;
  int wakes = 0;
  State state = State::some;
  LiveEvents::Reader reader;
};

}  // namespace

TEST_CASE("a reader gets a snapshot and then each event, for every size of its buffer") {
  LiveEvents events({});
  int wanted = 0;
  events.on_wanted([&] { ++wanted; });
  events.publish("{0}");
  for (const std::size_t block : {1U, 7U, 1000U}) {
    CAPTURE(block);
    Client client(events);
    CHECK(client.take(block).empty());
    CHECK(client.state == State::paused);
    REQUIRE(events.wants_snapshot());
    events.set_snapshot("{all}");
    CHECK_FALSE(events.wants_snapshot());
    CHECK(client.wakes == 1);
    const std::string hello = client.take(block);
    CHECK(hello.starts_with("event: hello\nid: "));
    CHECK(hello.ends_with("\ndata: {all}\n\n"));
    events.publish("{1}");
    events.publish("{2}");
    CHECK(client.wakes == 2);
    const std::string ticks = client.take(block);
    CHECK(ticks.find("event: tick\nid: ") == 0);
    CHECK(ticks.find("data: {1}\n\nevent: tick\nid: ") != std::string::npos);
    CHECK(ticks.ends_with("data: {2}\n\n"));
    events.publish("{3}");  // the snapshot is too old for the next client
  }
  CHECK(wanted == 3);
}

TEST_CASE("clients that come at the same time share a snapshot") {
  LiveEvents events({});
  Client first(events);
  Client second(events);
  first.take();
  second.take();
  events.set_snapshot("{all}");
  CHECK(first.take().ends_with("{all}\n\n"));
  CHECK(second.take().ends_with("{all}\n\n"));
  events.publish("{1}");
  Client third(events);
  const std::string text = third.take();
  CHECK(text.find("{all}") != std::string::npos);
  CHECK(text.ends_with("{1}\n\n"));
}

TEST_CASE("a reader that falls behind gets a reset instead of the missed events") {
  LiveEvents events({.texts = 5});
  Client slow(events);
  Client quick(events);
  slow.take();
  quick.take();
  events.set_snapshot("{all}");
  slow.take();
  quick.take();
  for (int i = 0; i < 100; ++i) {
    events.publish('{' + std::to_string(i) + '}');
    CHECK(quick.take().ends_with("data: {" + std::to_string(i) + "}\n\n"));
  }
  CHECK(slow.take().empty());
  REQUIRE(events.wants_snapshot());
  events.set_snapshot("{more}");
  const std::string text = slow.take();
  CHECK(text.starts_with("event: reset\n"));
  CHECK(text.ends_with("data: {more}\n\n"));
  CHECK(events.counts().resets == 1);
  CHECK(quick.take().empty());
  events.publish("{next}");
  CHECK(slow.take().ends_with("data: {next}\n\n"));
  CHECK(quick.take().ends_with("data: {next}\n\n"));
}

TEST_CASE("the events that are kept for slow readers are limited in bytes") {
  LiveEvents events({.bytes = 1000});
  Client slow(events);
  slow.take();
  events.set_snapshot("{}");
  slow.take();
  for (int i = 0; i < 10; ++i) events.publish(std::string(300, 'x'));
  CHECK(slow.take().empty());
  events.set_snapshot("{}");
  CHECK(slow.take().starts_with("event: reset\n"));
  // An event beyond the limit is still sent.
  events.publish(std::string(5000, 'y'));
  CHECK(slow.take().find("yyy") != std::string::npos);
}

TEST_CASE("new numbers are a reset for every reader, even for one that has read everything") {
  LiveEvents events({});
  Client client(events);
  client.take();
  events.set_snapshot("{1}");
  client.take();
  events.reset();
  CHECK(client.take().empty());
  REQUIRE(events.wants_snapshot());
  events.set_snapshot("{2}");
  CHECK(client.take().starts_with("event: reset\n"));
}

TEST_CASE("the number of snapshots in memory is limited, and a reader that does not read in time is dropped") {
  std::uint64_t now_ns = 7 * ns_per_s;
  LiveEvents events({.snapshots = 2, .patience_s = 0.5}, [&now_ns] { return now_ns; });
  Client first(events);
  Client second(events);
  Client third(events);
  const auto stuck = [&](Client& client) {
    client.take();
    REQUIRE(events.wants_snapshot());
    events.set_snapshot("{a long one}");
    char c = 0;
    std::size_t one = 1;
    REQUIRE(client.reader.read(&c, one) == State::some);
    for (int i = 0; i < 5; ++i) events.publish("{}");
  };
  stuck(first);
  stuck(second);
  third.take();
  CHECK(third.state == State::paused);
  CHECK_FALSE(events.wants_snapshot());
  now_ns += ns_per_s / 2;
  char c = 0;
  std::size_t one = 1;
  CHECK(second.reader.read(&c, one) == State::some);  // just before the time is over
  ++now_ns;
  first.take();
  CHECK(first.state == State::over);
  CHECK(events.counts().dropped == 1);
}

TEST_CASE("the number of readers is limited") {
  LiveEvents events({.readers = 2});
  Client first(events);
  {
    Client second(events);
    Client third(events);
    CHECK(second.reader.is_admitted());
    CHECK_FALSE(third.reader.is_admitted());
    CHECK(events.counts().readers == 2);
    third.take();
    CHECK(third.state == State::over);
  }
  CHECK(events.counts().refused == 1);
  CHECK(Client(events).reader.is_admitted());
}

TEST_CASE("the end of the run reaches every reader, even waiting and slow readers") {
  LiveEvents events({.texts = 3});
  Client waiting(events);
  Client behind(events);
  behind.take();
  events.set_snapshot("{}");
  behind.take();
  for (int i = 0; i < 10; ++i) events.publish("{x}");
  waiting.take();
  events.end();
  for (Client* client : {&waiting, &behind}) {
    const std::string text = client->take();
    CHECK(text.ends_with("\ndata: {}\n\n"));
    CHECK(text.find("event: end\n") != std::string::npos);
    CHECK(client->state == State::over);
  }
  CHECK_FALSE(Client(events).reader.is_admitted());
}

TEST_CASE("a closed event stream pauses no reader") {
  LiveEvents events({});
  Client client(events);
  client.take();
  events.close();
  CHECK(client.wakes == 1);
  CHECK(client.take().empty());
  CHECK(client.state == State::over);
  CHECK(client.pauses == 1);
}
