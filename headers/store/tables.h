// The tables of a fleet's store in ClickHouse. The manual shows them, because people ask them with SQL.
//
// A row of `samples` is the sum of a tick (10 seconds as a rule) for a service, a process name and a stack. It takes
// some 12 bytes on disk, most of which are the number of the stack: repeated texts cost nearly nothing in a column.
//
// A stack is a list of frames by number, and both lie in tables of their own, by service, so that a report reads those
// of its service in one piece and joins nothing. Of 13,000 stacks with 37 frames each they take 2.1 MB on disk and 10.5
// MB to insert and to read. Arrays of names, modules and lines in the stacks themselves (Array(String)), without the
// rest of a frame, take 2.0 and 33 MB.
//
// A number is a hash of what it stands for, the same on all hosts. So a frame or a stack that is sent twice is the same
// row, and ReplacingMergeTree keeps one. They are sent anew each day, so that a day can be dropped from all tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "push/store_request.h"

namespace profile {

struct StoreTables {
  std::string cluster;                // empty: one server
  std::string database;               // with `cluster`: where the tables are
  std::optional<unsigned> keep_days;  // nullopt: for ever

  // The statements that make them on a server of this version, in the order in which they are needed.
  [[nodiscard]] std::vector<std::string> statements(ServerVersion version) const;
  // Those that change tables that are there: how many inserts they remember, and how long rows are kept, as far as the
  // server can do that by itself.
  [[nodiscard]] std::vector<std::string> changes(ServerVersion version) const;
};

// A line "TABLE COLUMN TYPE" for each column, as in StoreRequest::tables.
[[nodiscard]] std::string store_columns();
// The query for how the tables are kept, and why one that its answer has is another table than this program makes;
// empty: all are as they should be.
[[nodiscard]] std::string engines_query();
[[nodiscard]] std::string fault_of_engines(std::string_view answer);
// Whether a server of this version removes rows by itself when they are old (TTL).
[[nodiscard]] bool has_ttl(ServerVersion version);
// The partitions, which are days, that are older than this: an answer has lines of table and partition.
[[nodiscard]] std::string old_partitions_query(unsigned keep_days);
[[nodiscard]] std::string drop_partition(std::string_view table, std::string_view partition,
                                         const std::string& cluster);

// "INSERT INTO table(columns) FORMAT RowBinary"
[[nodiscard]] std::string insert_into(std::string_view table);
inline constexpr std::string_view samples_table = "samples";
inline constexpr std::string_view stacks_table = "stacks";
inline constexpr std::string_view frames_table = "frames";

// The text as a string of ClickHouse's SQL, in quotes. Whatever the text is, it is one string.
[[nodiscard]] std::string sql_string(std::string_view text);
// The name of a table, column or cluster, in backquotes.
[[nodiscard]] std::string sql_name(std::string_view name);

}  // namespace profile
