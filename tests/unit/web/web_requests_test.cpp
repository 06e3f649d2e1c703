// Tests which clients and which requests the live view accepts.
#include <doctest/doctest.h>

#include "support/error.h"
#include "web/requests.h"

using namespace profile;

TEST_CASE("a path gets a slash at both ends") {
  CHECK(live_path_of("") == "/");
  CHECK(live_path_of("/") == "/");
  CHECK(live_path_of("//") == "/");
  CHECK(live_path_of("live") == "/live/");
  CHECK(live_path_of("/live") == "/live/");
  CHECK(live_path_of("live/") == "/live/");
  CHECK(live_path_of("/a/b.c-d_e~9/") == "/a/b.c-d_e~9/");
  CHECK(live_path_of("/metricsx") == "/metricsx/");
  CHECK(live_path_of("/debug") == "/debug/");
}

TEST_CASE("an invalid path, or one that hides another page, is refused by name") {
  for (const char* typed : {"a b", "a?b", "a#b", "<b>", "a//b", "..", "/a/../b", "/./", "a\nb", "\xff", "%2e",
                            "metrics", "/metrics/", "/metrics/a", "/healthz", "debug/pprof", "/debug/pprof/profile"}) {
    CAPTURE(typed);
    std::string said = "nothing";
    try {
      said = "accepted as " + live_path_of(typed);
    } catch (const Error& error) {
      said = error.what();
      CHECK(error.exit_status() == Error::misused);
    }
    CHECK(said.starts_with("-P " + std::string(typed) + ": "));
  }
  CHECK_THROWS_AS(static_cast<void>(live_path_of(std::string(300, 'a'))), Error);
}

TEST_CASE("only the names of loopback are accepted on a loopback address") {
  const LiveHost ours{.address = "127.0.0.1", .is_loopback = true, .machine = "box"};
  for (const char* host : {"127.0.0.1", "127.0.0.1:9090", "127.0.0.1:1", "localhost", "LocalHost:9090", "[::1]",
                           "[::1]:9090", "[0:0:0:0:0:0:0:1]:9090"}) {
    CAPTURE(host);
    CHECK(is_our_host(host, ours));
  }
  for (const char* host : {"",
                           ":",
                           ":9090",
                           "evil.com",
                           "evil.com:9090",
                           "box",
                           "box:9090",
                           "127.0.0.2",
                           "10.0.0.1",
                           "[::2]",
                           "::1",
                           "[::1",
                           "[::1]x",
                           "[::1]:",
                           "[127.0.0.1]",
                           "[localhost]",
                           "localhost.",
                           "localhost.evil.com",
                           "127.0.0.1.evil.com",
                           "127.0.0.1:9090:1",
                           "127.0.0.1:x",
                           "127.0.0.1:123456",
                           "127.0.0.1:",
                           "localhost/",
                           "evil@localhost",
                           "127.1",
                           "2130706433",
                           "0x7f.1",
                           "127.0.0.1 ",
                           " 127.0.0.1",
                           "[]",
                           "[]:1"}) {
    CAPTURE(host);
    CHECK_FALSE(is_our_host(host, ours));
  }
  CHECK_FALSE(is_our_host(std::string_view("127.0.0.1\0.evil.com", 19), ours));
}

TEST_CASE("another loopback address is accepted if the server listens on it") {
  CHECK(is_our_host("127.0.0.2:9090", {.address = "127.0.0.2", .is_loopback = true, .machine = {}}));
  CHECK(is_our_host("[::1]:9090", {.address = "::1", .is_loopback = true, .machine = {}}));
}

TEST_CASE("every address and the machine's name are accepted on a public address, and no other name") {
  const LiveHost ours{.address = "0.0.0.0", .is_loopback = false, .machine = "Box.example.org"};
  for (const char* host : {"10.1.2.3:9090", "127.0.0.1", "[fe80::1]:9090", "box.example.org:9090", "localhost:9090"}) {
    CAPTURE(host);
    CHECK(is_our_host(host, ours));
  }
  for (const char* host :
       {"", "evil.com", "box", "box.example.org.evil.com", "10.1.2.3.evil.com", "[evil]", "[fe80::1"}) {
    CAPTURE(host);
    CHECK_FALSE(is_our_host(host, ours));
  }
  CHECK_FALSE(is_our_host("", {.address = "0.0.0.0", .is_loopback = false, .machine = ""}));
}

TEST_CASE("an origin is accepted if it equals the requested host") {
  CHECK(is_our_origin("http://127.0.0.1:9090", "127.0.0.1:9090"));
  CHECK(is_our_origin("HTTP://LOCALHOST:9090", "localhost:9090"));
  for (const char* origin :
       {"", "null", "http://", "http:/", "h", "http://127.0.0.1", "http://127.0.0.1:9091", "https://127.0.0.1:9090",
        "http://evil.com", "http://127.0.0.1:9090.evil.com", "http://127.0.0.1:9090/", "127.0.0.1:9090"}) {
    CAPTURE(origin);
    CHECK_FALSE(is_our_origin(origin, "127.0.0.1:9090"));
  }
}

TEST_CASE("another site may link to the page, and may not fetch data") {
  CHECK(is_our_fetch("", "", false));
  CHECK(is_our_fetch("same-origin", "cors", false));
  CHECK(is_our_fetch("none", "navigate", false));
  CHECK(is_our_fetch("cross-site", "navigate", true));
  CHECK_FALSE(is_our_fetch("cross-site", "navigate", false));
  CHECK_FALSE(is_our_fetch("cross-site", "no-cors", true));
  CHECK_FALSE(is_our_fetch("same-site", "no-cors", false));
}

TEST_CASE("names and patterns that the user allows are accepted, and the names of other sites are not") {
  const LiveHost ours{.names = {"profile.example.org", "*.box.example.org"}};
  for (const char* host : {"profile.example.org", "Profile.Example.Org:9090", "a.box.example.org", "127.0.0.1"}) {
    CAPTURE(host);
    CHECK(is_our_host(host, ours));
  }
  for (const char* host : {"profile.example.org.evil.com", "example.org", "box.example.org", ".box.example.org",
                           "evil.com", "xprofile.example.org"}) {
    CAPTURE(host);
    CHECK_FALSE(is_our_host(host, ours));
  }
  CHECK(host_names_of({"a", "*.example.org", "node-*.example.org"}).size() == 3);
  for (const char* name : {"*", "*.org", "web*", "a.*", "a b", "http://a", "a:80", "*.*.example.org", "*example.org"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(static_cast<void>(host_names_of({name})), Error);
  }
}

TEST_CASE("a profile is asked for by seconds and processes, and by nothing else") {
  CaptureQuery query;
  CHECK(query.seconds == 30);
  CHECK(take_parameter(query, "seconds", "3600").empty());
  CHECK(query.seconds == 3600);
  CHECK(take_parameter(query, "pid", "12").empty());
  CHECK(take_parameter(query, "pid", "7").empty());
  CHECK(query.tgids == std::vector<std::uint32_t>{12, 7});
  for (const char* text :
       {"", "0", "-1", "+1", "abc", "1e3", "1.5", "99999999999", "18446744073709551617", "1 ", " 1", "0x10"}) {
    CAPTURE(text);
    CHECK_FALSE(take_parameter(query, "seconds", text).empty());
    CHECK_FALSE(take_parameter(query, "pid", text).empty());
  }
  CHECK_FALSE(take_parameter(query, "seconds", "3601").empty());
  for (const char* key : {"", "second", "Seconds", "tid", "debug"})
    CHECK_FALSE(take_parameter(query, key, "1").empty());
  for (int i = 0; i < 100; ++i) static_cast<void>(take_parameter(query, "pid", "1"));
  CHECK(query.tgids.size() == 64);
}
