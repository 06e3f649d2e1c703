// What is sent to a ClickHouse server for one tick: inserts, and how to learn whether they are there already. It is the
// body of a request in the queue and its spool (push/queue.h), so a later version of the program may read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace profile {

struct StoreInsert {
  std::string sql;   // "INSERT INTO ... FORMAT RowBinary"
  std::string rows;  // compressed by gzip: the server notices when a part of them is missing
};

struct StoreRequest {
  std::string batch;   // another one for each request: the ids of its queries begin with it
  std::string tables;  // that the server must have: a line "TABLE COLUMN TYPE" for each column
  // A query for the number of rows that the last insert has put there. The other inserts can be repeated.
  std::string count;
  std::vector<StoreInsert> inserts;  // in their order
};

[[nodiscard]] std::string body_of(const StoreRequest& request);
// nullopt: it is no body of a request, or of another version.
[[nodiscard]] std::optional<StoreRequest> store_request_of(std::string_view body);

// The query whose answer has a line for each column of these tables (StoreRequest::tables) that the database has. Its
// columns: the version of the server, the table, the column and its type.
[[nodiscard]] std::string columns_query(std::string_view tables);

struct ServerVersion {
  unsigned major = 0;
  unsigned minor = 0;
  friend auto operator<=>(const ServerVersion&, const ServerVersion&) = default;
};
// What the answer to columns_query() tells. `missing`: the first line of `tables` that it does not have, as
// "stacks.day"; empty: it has all. nullopt: it is another answer.
struct FoundTables {
  ServerVersion version;
  std::string missing;
  bool has_any = false;  // whether one of the tables is there
};
[[nodiscard]] std::optional<FoundTables> tables_in(std::string_view answer, std::string_view tables);

// The text of the exception that a ClickHouse server answers with, without what only its developers read. Empty: the
// answer is none. `code`: its number.
struct StoreException {
  unsigned code = 0;
  std::string text;
};
[[nodiscard]] std::optional<StoreException> exception_in(std::string_view answer);

}  // namespace profile
