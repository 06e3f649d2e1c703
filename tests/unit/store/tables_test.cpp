// Tests the statements that make a store, by the server's version, and the quoting of SQL.
#include "store/tables.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace profile;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a server gets the forms that its version has") {
  const StoreTables month{.cluster = {}, .database = {}, .keep_days = 30};
  for (const ServerVersion old : {ServerVersion{.major = 18, .minor = 16}, ServerVersion{.major = 19, .minor = 5}}) {
    const auto all = month.statements(old);
    REQUIRE(all.size() == 3);
    for (const std::string& sql : all) {
      CHECK_FALSE(has(sql, "TTL"));
      CHECK_FALSE(has(sql, "window"));
    }
    CHECK(month.changes(old).empty());
    CHECK_FALSE(has_ttl(old));
  }
  const auto with_ttl = month.statements({.major = 19, .minor = 6});
  CHECK(has(with_ttl[2],
            ") ORDER BY (service, event, time) TTL time + INTERVAL 30 DAY SETTINGS index_granularity = 8192"));
  CHECK(has(with_ttl[0], " TTL day + INTERVAL 30 DAY "));
  CHECK_FALSE(has(with_ttl[0], "ttl_only_drop_parts"));
  const auto newest = month.statements({.major = 24, .minor = 3});
  CHECK(has(newest[2], ", ttl_only_drop_parts = 1, non_replicated_deduplication_window = "));
  const std::string window = "MODIFY SETTING non_replicated_deduplication_window = 10000";
  CHECK(month.changes({.major = 24, .minor = 3})[2] == "ALTER TABLE stacks " + window);
  CHECK(month.changes({.major = 24, .minor = 3})[3] == "ALTER TABLE stacks MODIFY TTL day + INTERVAL 30 DAY");
  CHECK(month.changes({.major = 21, .minor = 3}).size() == 3);
  CHECK(StoreTables().changes({.major = 24, .minor = 3}).size() == 3);
  CHECK(StoreTables().changes({.major = 21, .minor = 3}).empty());
}

TEST_CASE("what samples need is made and filled before them, and a batch is of one partition") {
  const auto all = StoreTables().statements({.major = 18, .minor = 16});
  CHECK(all[0].starts_with("CREATE TABLE IF NOT EXISTS frames ("));
  CHECK(all[1].starts_with("CREATE TABLE IF NOT EXISTS stacks ("));
  CHECK(all[2].starts_with("CREATE TABLE IF NOT EXISTS samples ("));
  CHECK(has(all[1],
            "ENGINE = ReplacingMergeTree() PARTITION BY toYYYYMMDD(day) ORDER BY (service, stack) SETTINGS "
            "index_granularity = 1024"));
  CHECK(has(all[2], "ENGINE = MergeTree() PARTITION BY toYYYYMMDD(time) ORDER BY (service, event, time)"));
}

TEST_CASE("a cluster has the tables on all of its servers, and others that read from all") {
  const StoreTables tables{.cluster = "a`b", .database = "d`b", .keep_days = {}};
  const auto all = tables.statements({.major = 21, .minor = 8});
  REQUIRE(all.size() == 6);
  for (const std::string& sql : all) CHECK(has(sql, " ON CLUSTER `a\\`b` ("));
  CHECK(all[5].starts_with("CREATE TABLE IF NOT EXISTS all_samples ON CLUSTER"));
  CHECK(all[5].ends_with(" ENGINE = Distributed(`a\\`b`, `d\\`b`, samples)"));
  CHECK(drop_partition("stacks", "20260102", "c") == "ALTER TABLE `stacks` ON CLUSTER `c` DROP PARTITION 20260102");
}

TEST_CASE("tables that are kept in another way are told") {
  const std::string frames = "frames\tReplacingMergeTree\ttoYYYYMMDD(day)\tservice, frame\n";
  const std::string samples = "samples\tReplicatedMergeTree\ttoYYYYMMDD(time)\tservice, event, time\n";
  CHECK(fault_of_engines(frames + samples).empty());
  CHECK(fault_of_engines("").empty());
  CHECK(has(fault_of_engines("frames\tMergeTree\ttoYYYYMMDD(day)\tservice, frame\n"),
            "frames is not a ReplacingMergeTree"));
  CHECK_FALSE(fault_of_engines("samples\tReplacingMergeTree\ttoYYYYMMDD(time)\tservice, event, time\n").empty());
  CHECK_FALSE(fault_of_engines("samples\tSummingMergeTree\ttoYYYYMMDD(time)\tservice, event, time\n").empty());
  CHECK(fault_of_engines("stacks\tSharedReplacingMergeTree\ttoYYYYMMDD(day)\tservice, stack\n").empty());
  CHECK_FALSE(fault_of_engines("samples\tMergeTree\ttoYYYYMM(time)\tservice, event, time\n").empty());
  CHECK_FALSE(fault_of_engines("samples\tMergeTree\ttoYYYYMMDD(time)\ttime\n").empty());
}

TEST_CASE("no text ends its string in SQL") {
  CHECK(sql_string("shop") == "'shop'");
  CHECK(sql_string("") == "''");
  CHECK(sql_string("a'b") == "'a\\'b'");
  CHECK(sql_string("a\\' OR 1 --") == "'a\\\\\\' OR 1 --'");
  CHECK(sql_string(std::string("\0\n\x7f", 3)) == "'\\x00\\x0A\\x7F'");
  CHECK(sql_string("\xff\xc3\xa4") == "'\xff\xc3\xa4'");
  CHECK(sql_name("a`b\\") == "`a\\`b\\\\`");
  // A quote or a backslash is never without a backslash of its own.
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const std::string quoted = sql_string(all + all);
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] == '\\')
      ++i;
    else
      CHECK(quoted[i] != '\'');
  }
}
