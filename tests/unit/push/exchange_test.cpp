// Tests what a ClickHouse server is asked for a request, and what becomes of it by its answers.
#include "push/exchange.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "push/store_request.h"
#include "push/target.h"

using namespace profile;

namespace {

const std::string tables = "a x UInt64\nb y DateTime('UTC')\n";
const std::string columns = "18.16.1\ta\tx\tUInt64\n18.16.1\tb\ty\tDateTime(\\'UTC\\')\n18.16.1\tc\tz\tString\n";

StoreRequest request() {
  return {.batch = "profile-1",
          .tables = tables,
          .count = "SELECT count()",
          .inserts = {{.sql = "INSERT INTO a", .rows = "rows of a"}, {.sql = "INSERT INTO b", .rows = "rows of b"}}};
}

struct Asked {
  StoreServer server;
  std::unique_ptr<Exchange> exchange;

  explicit Asked(bool may_be_there, StoreServer known = {}, const std::string& body = body_of(request()))
      : server(known),
        exchange(exchange_of(store_target_of("clickhouse+http://h/d", "t"), body, may_be_there, server)) {}

  // Asks, and takes the answer.
  std::optional<ServerAnswer> answer(const std::string& text, long status = 200) {
    asked.push_back(exchange->request());
    return exchange->take({.status = status, .trouble = "cannot connect", .text = text});
  }
  std::vector<HttpRequest> asked;
};

void expect(const std::optional<ServerAnswer>& answer, RequestFate fate, const std::string& why) {
  REQUIRE(answer.has_value());
  CHECK(answer->fate == fate);
  CHECK(answer->why == why);
}

}  // namespace

TEST_CASE("the tables are looked at once, and the inserts come in their order") {
  Asked asked(false);
  CHECK_FALSE(asked.answer(columns).has_value());
  CHECK_FALSE(asked.answer("").has_value());
  expect(asked.answer(""), RequestFate::accepted, "");
  CHECK(asked.asked[0].body ==
        "SELECT version(), table, name, type FROM system.columns WHERE database = currentDatabase() AND table IN ('a', "
        "'b') ORDER BY table, name FORMAT TabSeparated");
  CHECK_FALSE(asked.asked[0].is_gzipped);
  CHECK(asked.asked[1].query == "&query_id=profile-1-0&query=INSERT%20INTO%20a");
  CHECK(asked.asked[1].body == "rows of a");
  CHECK(asked.asked[1].is_gzipped);
  CHECK(asked.asked[2].query == "&query_id=profile-1-1&query=INSERT%20INTO%20b");
  Asked next(false, asked.server);
  CHECK_FALSE(next.answer("").has_value());
  CHECK(next.asked[0].is_gzipped);
}

TEST_CASE("no name of a table of a damaged spool gets out of its quotes") {
  CHECK(columns_query("a x UInt64\na') OR ('1 y String\n").find("IN ('a') ORDER") != std::string::npos);
}

TEST_CASE("a server that may put off an insert is told not to") {
  Asked asked(false, {.version = ServerVersion{.major = 21, .minor = 11}});
  CHECK_FALSE(asked.answer("").has_value());
  CHECK(asked.asked[0].query.ends_with("&async_insert=0"));
}

TEST_CASE("a server that knows tokens gets one") {
  Asked asked(false, {.version = ServerVersion{.major = 22, .minor = 2}});
  CHECK_FALSE(asked.answer("").has_value());
  CHECK(asked.asked[0].query.ends_with("&insert_deduplication_token=profile-1-0"));
}

TEST_CASE("what may have been sent before is counted before its samples are sent") {
  const StoreServer known{.version = ServerVersion{.major = 18, .minor = 16}};
  Asked there(true, known);
  CHECK_FALSE(there.answer("").has_value());
  expect(there.answer("3\n"), RequestFate::accepted, "");
  CHECK(there.asked[0].body == "rows of a");
  CHECK(there.asked[1].body == "SELECT count()");
  Asked missing(true, known);
  CHECK_FALSE(missing.answer("").has_value());
  CHECK_FALSE(missing.answer("0\n").has_value());
  expect(missing.answer(""), RequestFate::accepted, "");
  for (const char* const strange : {"", "x", "0\n0\n", "-1\n", "99999999999999999999\n"}) {
    Asked odd(true, known);
    CHECK_FALSE(odd.answer("").has_value());
    expect(odd.answer(strange), RequestFate::again, "what it answers is not ClickHouse's");
    CHECK_FALSE(odd.server.version.has_value());
  }
}

TEST_CASE("a database that is not made for this gets nothing") {
  expect(Asked(false).answer(""), RequestFate::again,
         "the database has no tables for profiles; profile store init makes them");
  expect(Asked(false).answer("18.16.1\ta\tx\tUInt32\n18.16.1\tb\ty\tDateTime(\\'UTC\\')\n"), RequestFate::again,
         "the table's column a.x is not as this program makes it");
  expect(Asked(false).answer("<html>"), RequestFate::again, "what it answers is not ClickHouse's");
}

TEST_CASE("a store without its tables has lost what it had") {
  const StoreServer known{.version = ServerVersion{.major = 18, .minor = 16}};
  CHECK(Asked(false).answer("")->lacks_tables);
  CHECK(Asked(false, known).answer("Code: 60, DB::Exception: Table d.a doesn't exist\n", 404)->lacks_tables);
  CHECK_FALSE(Asked(false, known).answer("Code: 241, DB::Exception: Memory limit exceeded\n", 500)->lacks_tables);
}

TEST_CASE("a status that will not change for the rows is not tried again") {
  const StoreServer known{.version = ServerVersion{.major = 18, .minor = 16}};
  CHECK(Asked(false, known).answer("<html>too large", 413)->fate == RequestFate::never);
  CHECK(Asked(false).answer("<html>too large", 413)->fate == RequestFate::again);
  CHECK(Asked(false, known).answer("", 204)->fate == RequestFate::again);
}

TEST_CASE("an exception is told in its words, whatever the status") {
  const StoreServer known{.version = ServerVersion{.major = 18, .minor = 16}};
  const std::string old =
      "Code: 60, e.displayText() = DB::Exception: Table d.a doesn't exist., e.what() = DB::Exception\n";
  const std::string newer =
      "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) (version 23.8.1)\n";
  for (const long status : {200L, 404L, 500L}) {
    Asked asked(false, known);
    expect(asked.answer(old, status), RequestFate::again, "Table d.a doesn't exist");
    CHECK_FALSE(asked.server.version.has_value());
  }
  expect(Asked(false, known).answer(newer, 500), RequestFate::again, "Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)");
  expect(Asked(false, known).answer("Code: 194, DB::Exception: Password required\n", 401), RequestFate::again,
         "it wants other credentials: Password required");
  expect(Asked(false, known).answer("Code: 117, DB::Exception: Wrong\n", 500), RequestFate::never, "Wrong");
  expect(Asked(false, known).answer("x\x1b[31m", 502), RequestFate::again, "status 502: it has an error");
  expect(Asked(false, known).answer("hello"), RequestFate::again, "what it answers is not ClickHouse's");
  expect(Asked(false, known).answer("", 0), RequestFate::again, "cannot connect");
}

TEST_CASE("rows that are cut off again and again are damaged") {
  StoreServer server{.version = ServerVersion{.major = 18, .minor = 16}};
  for (int i = 1; i <= 5; ++i) {
    server.version = ServerVersion{.major = 18, .minor = 16};
    Asked asked(false, server);
    expect(asked.answer("Code: 354, DB::Exception: inflate failed\n", 500),
           i < 5 ? RequestFate::again : RequestFate::never, "inflate failed");
    server = asked.server;
  }
}

TEST_CASE("a body that is no request is never sent") {
  std::string cut = body_of(request());
  cut.pop_back();
  for (const std::string& body : {std::string("profile-store-2\nx"), std::string(), cut}) {
    expect(Asked(false, {}, body).answer(columns), RequestFate::never, "a request in the spool is damaged");
  }
}
