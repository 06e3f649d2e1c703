// Tests the URLs of --push, the labels, and the bodies of requests.
#include "push/target.h"

#include <doctest/doctest.h>
#include <rapidjson/document.h>

#include <protozero/pbf_reader.hpp>
#include <string>
#include <utility>
#include <vector>

#include "push/spool.h"
#include "support/error.h"

using namespace profile;

namespace {

std::string refusal_of(const std::string& typed) {
  try {
    (void)push_target_of(typed);
  } catch (const Error& error) {
    CHECK(error.exit_status() == Error::misused);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a URL of --push names the protocol, the host and a path before the protocol's own") {
  const PushTarget pyroscope = push_target_of("pyroscope+http://store:4040");
  CHECK(pyroscope.protocol == PushProtocol::pyroscope);
  CHECK(pyroscope.url == "http://store:4040/push.v1.PusherService/Push");
  CHECK(pyroscope.name == "pyroscope+http://store:4040");
  CHECK(pyroscope.host == "store:4040");
  const PushTarget parca = push_target_of("parca+https://[::1]:7070/base//");
  CHECK(parca.protocol == PushProtocol::parca);
  CHECK(parca.url == "https://[::1]:7070/base/api/profiles/writeraw");
  CHECK(parca.name == "parca+https://[::1]:7070/base");
  CHECK(push_target_of("parca+http://store/").name == push_target_of("parca+http://store").name);
}

TEST_CASE("what is no such URL is refused, and no password is shown") {
  for (const char* typed : {"",
                            "store:4040",
                            "http://store",
                            "pyroscope://store",
                            "pyroscope+ftp://store",
                            "parca+http:",
                            "parca+http://",
                            "parca+http:///path",
                            "parca+http://:80",
                            "parca+http://store:0",
                            "parca+http://store:65536",
                            "parca+http://store:x",
                            "parca+http://st ore",
                            "parca+http://store/a b",
                            "parca+http://store\n",
                            "parca+http://store/?a=1",
                            "parca+http://store#x",
                            "parca+http://user@store",
                            "parca+http://user:secret@store/x",
                            "parca+http://store/user:secret@x",
                            "parca+http://user:sec/ret@store"}) {
    CAPTURE(typed);
    const std::string text = refusal_of(typed);
    CHECK(text.starts_with("--push: "));
    CHECK(text.find("sec") == std::string::npos);
  }
}

TEST_CASE("a URL of --store names the user, the host and the database") {
  const PushTarget store = store_target_of("clickhouse+http://agent@store:8123/profiles/", "--store");
  CHECK(store.protocol == PushProtocol::clickhouse);
  CHECK(store.url == "http://store:8123/?database=profiles");
  CHECK(store.name == "clickhouse+http://agent@store:8123/profiles");
  CHECK(store.host == "store:8123");
  CHECK(store.user == "agent");
  CHECK(store_target_of("clickhouse+https://[::1]/p_1", "--store").url == "https://[::1]/?database=p_1");
  CHECK(store_target_of("clickhouse+https://h/p", "--store").user.empty());
  CHECK(is_store_url("clickhouse+http://x"));
  CHECK_FALSE(is_store_url("clickhouse"));
  CHECK(option_of(PushProtocol::clickhouse) == "--store");
  for (const char* typed :
       {"", "http://h/d", "parca+http://h/d", "clickhouse+ftp://h/d", "clickhouse+http://h", "clickhouse+http://h/",
        "clickhouse+http:///d", "clickhouse+http://h/1d", "clickhouse+http://h/a-b", "clickhouse+http://h/a/b",
        "clickhouse+http://h/d?x=1", "clickhouse+http://h:0/d", "clickhouse+http://@h/d",
        "clickhouse+http://u:secret@h/d", "clickhouse+http://h/d@e", "clickhouse+http://u se@h/d"}) {
    CAPTURE(typed);
    try {
      (void)store_target_of(typed, "--store");
      FAIL("it is taken");
    } catch (const Error& error) {
      CHECK(error.exit_status() == Error::misused);
      CHECK(std::string(error.what()).starts_with("--store: "));
      CHECK(std::string(error.what()).find("secret") == std::string::npos);
    }
  }
  CHECK(refusal_of("clickhouse+http://h/d").find("--store") != std::string::npos);
}

TEST_CASE("labels have names and values that stores take, and do not change what tells services apart") {
  CHECK(refusal_of_label("team", "shop").empty());
  CHECK(refusal_of_label("_Team2", "a b=c").empty());
  CHECK(refusal_of_label("host", "other").empty());
  CHECK(refusal_of_label("version", "1.2").empty());
  for (const auto& label : std::vector<std::pair<std::string, std::string>>{{"", "x"},
                                                                            {"2a", "x"},
                                                                            {"a-b", "x"},
                                                                            {"ä", "x"},
                                                                            {"__name__", "x"},
                                                                            {"service", "x"},
                                                                            {"service_name", "x"},
                                                                            {"pod", "x"},
                                                                            {"a", ""},
                                                                            {"a", "x\ny"},
                                                                            {"a", "\xff"},
                                                                            {std::string(129, 'a'), "x"},
                                                                            {"a", std::string(1025, 'x')}}) {
    CAPTURE(label.first);
    CHECK_FALSE(refusal_of_label(label.first, label.second).empty());
  }
  CHECK(profile_name_of("cpu-clock") == "process_cpu");
  CHECK(profile_name_of("off-cpu") == "off_cpu");
  CHECK(profile_name_of("sched:sched_switch") == "sched_sched_switch");
  CHECK(profile_name_of("9lives") == "_9lives");
}

TEST_CASE("Pyroscope gets a series with its labels, the profile and its id") {
  const PushLabels labels{{"host", "a"}, {"service", "shop"}};
  const std::string pprof("\x1f\x8b\0x", 4);
  const std::string body =
      request_body(PushProtocol::pyroscope, {.name = "process_cpu", .labels = labels, .pprof = pprof, .id = "an-id"});
  CHECK(content_type_of(PushProtocol::pyroscope) == "application/proto");
  protozero::pbf_reader request(body);
  REQUIRE(request.next(1));
  protozero::pbf_reader series = request.get_message();
  CHECK_FALSE(request.next());
  std::vector<std::pair<std::string, std::string>> found;
  while (series.next(1)) {
    protozero::pbf_reader label = series.get_message();
    REQUIRE(label.next(1));
    std::string name = label.get_string();
    REQUIRE(label.next(2));
    found.emplace_back(std::move(name), label.get_string());
  }
  CHECK(found == decltype(found){{"__name__", "process_cpu"}, {"host", "a"}, {"service_name", "shop"}});
  protozero::pbf_reader again(body);
  REQUIRE(again.next(1));
  series = again.get_message();
  REQUIRE(series.next(2));
  protozero::pbf_reader sample = series.get_message();
  REQUIRE(sample.next(1));
  CHECK(sample.get_bytes() == pprof);
  REQUIRE(sample.next(2));
  CHECK(sample.get_string() == "an-id");
}

TEST_CASE("Parca gets the same as JSON, with the profile in base64") {
  const PushLabels labels{{"service", "a \"quoted\" name"}};
  const std::pair<std::string, const char*> profiles[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {std::string("\xff\0\xfe\x7f", 4), "/wD+fw=="}};
  for (const auto& [pprof, base64] : profiles) {
    const std::string body =
        request_body(PushProtocol::parca, {.name = "off_cpu", .labels = labels, .pprof = pprof, .id = "an-id"});
    rapidjson::Document document;
    document.Parse(body.c_str());
    REQUIRE_FALSE(document.HasParseError());
    CHECK(document["normalized"].GetBool());
    const auto& series = document["series"][0];
    const auto& found = series["labels"]["labels"];
    REQUIRE(found.Size() == 2);
    CHECK(found[0]["name"] == "__name__");
    CHECK(found[0]["value"] == "off_cpu");
    CHECK(found[1]["value"] == "a \"quoted\" name");
    CHECK(series["samples"][0]["rawProfile"] == base64);
  }
  CHECK(content_type_of(PushProtocol::parca) == "application/json");
}

TEST_CASE("the directories of two targets in a spool have two names") {
  const std::string name = spool_name_of(push_target_of("pyroscope+http://store:4040"));
  CHECK(name.starts_with("pyroscope_http___store_4040-"));
  CHECK(name == spool_name_of(push_target_of("pyroscope+http://store:4040/")));
  CHECK(name != spool_name_of(push_target_of("pyroscope+http://store-4040")));
  CHECK(spool_name_of(push_target_of("parca+http://a/b")) != spool_name_of(push_target_of("parca+http://a-b")));
  CHECK(spool_name_of(push_target_of("parca+http://a/" + std::string(1000, 'x'))).size() < 256);
}

TEST_CASE("credentials that others may read on their way have a line") {
  const auto warns = [](const char* url, const char* credentials = "a:b") {
    return !warning_about(store_target_of(url, "t"), credentials).empty();
  };
  CHECK(warns("clickhouse+http://127.evil.invalid/d"));
  CHECK(warns("clickhouse+http://10.0.0.1:8123/d"));
  CHECK_FALSE(warns("clickhouse+http://10.0.0.1:8123/d", ""));
  for (const char* const safe : {"clickhouse+https://10.0.0.1/d", "clickhouse+http://127.0.0.1:8123/d",
                                 "clickhouse+http://localhost/d", "clickhouse+http://[::1]:8123/d"}) {
    CHECK_FALSE(warns(safe));
  }
}
