// Tests the options of --push.
#include <doctest/doctest.h>

#include <string>

#include "options_words.h"

using namespace profile;

TEST_CASE("--push sends profiles, and prints a report only on request") {
  CHECK(parsed({}).push.targets.empty());
  const Options options = parsed({"--push", "pyroscope+http://store:4040", "--push", "parca+https://store"});
  REQUIRE(options.push.targets.size() == 2);
  CHECK(options.push.targets[1].url == "https://store/api/profiles/writeraw");
  CHECK(options.push.spool.empty());
  CHECK(options.outputs.empty());
  CHECK(options.sampling.rows);
  REQUIRE(options.sinks.size() == 1);
  CHECK(options.sinks[0].pace_s == 10.0);
  CHECK(parsed({"--push", "parca+http://a", "-i", "3"}).sinks.at(0).pace_s == 3.0);
  CHECK(parsed({"--push", "parca+http://a", "-f"}).outputs.size() == 1);
  CHECK(parsed({"--push", "parca+http://a", "-o", "a.html"}).outputs.size() == 1);
  CHECK(parsed({"-e", "syscalls", "--push", "parca+http://a"}).sampling.user_stacks);
  refused_with({"--push", "http://store"}, {"--push", "pyroscope+http://"});
  refused_with({"--push", "parca+http://a", "--push", "parca+http://a/"}, {"--push", "given twice"});
}

TEST_CASE("--store is one more server, and prints a report only on request") {
  const Options options =
      parsed({"--store", "clickhouse+http://me@store:8123/p", "--push", "parca+https://b", "--spool", "x"});
  REQUIRE(options.push.targets.size() == 2);
  CHECK(options.push.targets[1].protocol == PushProtocol::clickhouse);
  CHECK(options.push.targets[1].user == "me");
  CHECK(options.outputs.empty());
  CHECK(options.sampling.rows);
  CHECK(parsed({"--store", "clickhouse+http://a/p", "--label", "a=b"}).push.labels.size() == 1);
  refused_with({"--store", "http://a/p"}, {"--store", "clickhouse+http://"});
  refused_with({"--store", ""}, {"--store"});
  refused_with({"--push", "clickhouse+http://a/p"}, {"--store"});
  refused_with({"--store", "clickhouse+http://a/p", "-e", "malloc", "--live"}, {"--store", "--live"});
}

TEST_CASE("the options of --push need it, and have bounds") {
  const Options options = parsed({"--push", "parca+http://a", "--spool", "/var/spool/x", "--spool-size", "2M",
                                  "--label", "team=a=b", "--label", "zone=c", "--push-auth-file", "secret"});
  CHECK(options.push.spool == "/var/spool/x");
  CHECK(options.push.spool_bytes == 2 << 20);
  CHECK(options.push.labels == PushLabels{{"team", "a=b"}, {"zone", "c"}});
  CHECK(options.push.auth_file == "secret");
  CHECK(parsed({"--push", "parca+http://a", "--spool", "x"}).push.spool_bytes == 256 << 20);
  refused_with({"--spool", "x"}, {"--spool", "--push"});
  refused_with({"--label", "a=b"}, {"--label", "--push"});
  refused_with({"--push-auth-file", "x"}, {"--push-auth-file", "--push"});
  refused_with({"--push", "parca+http://a", "--spool-size", "2M"}, {"--spool-size", "--spool"});
  refused_with({"--push", "parca+http://a", "--spool", "x", "--spool-size", "1K"}, {"--spool-size 1K", "1M"});
  refused_with({"--push", "parca+http://a", "--spool", ""}, {"--spool", "not a path"});
  refused_with({"--push", "parca+http://a", "--label", "team"}, {"--label team", "NAME=VALUE"});
  refused_with({"--push", "parca+http://a", "--label", "service=x"}, {"--label service=x"});
  refused_with({"--push", "parca+http://a", "--label", "a=x", "--label", "a=y"}, {"--label a=y", "twice"});
}
