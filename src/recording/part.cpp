#include "recording/part.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "recording/schema.h"

namespace profile {
namespace {

using namespace recording;

// ?: microseconds of the recording before the part.
constexpr const char* rows_of_part[] = {
    "INSERT INTO part.runs SELECT id, version, host, kernel, command_line, command, user_stacks, kernel_stacks, "
    "began_unix_ns + ?1 * 1000, max(duration_us - ?1, 0), 1, 0 FROM main.runs",
    "INSERT INTO part.events SELECT * FROM main.events",
    "INSERT INTO part.samples SELECT id - ?1 * 256, thread, cpu, stack, value, event FROM main.samples "
    "WHERE id >= ?1 * 256",
    "INSERT INTO part.threads SELECT * FROM main.threads WHERE id IN (SELECT thread FROM part.samples)",
    "INSERT INTO part.processes SELECT * FROM main.processes WHERE id IN (SELECT process FROM part.threads)",
    "WITH RECURSIVE needed(id) AS (SELECT stack FROM part.samples WHERE stack IS NOT NULL UNION "
    "SELECT callers FROM main.stacks JOIN needed USING(id) WHERE callers IS NOT NULL) "
    "INSERT INTO part.stacks SELECT * FROM main.stacks WHERE id IN (SELECT id FROM needed) ORDER BY id",
    // Without a symbol and a file, the offset is an address in memory.
    "INSERT INTO part.frames SELECT id, kind, name, module, "
    "CASE WHEN unnamed IS NULL OR unnamed = '' OR binary IS NOT NULL THEN offset END, binary, address, function, "
    "is_return, unnamed, file, line FROM main.frames WHERE id IN (SELECT frame FROM part.stacks)",
    "INSERT INTO part.binaries SELECT * FROM main.binaries WHERE id IN (SELECT binary FROM part.frames)",
    "INSERT INTO part.account SELECT tick_us - ?1, event, taken, taken_idle, recorded, recorded_by_ring, idle, "
    "filtered, lost_ring_full, lost_spans_full, lost_unwritten, lost_unread FROM main.account WHERE tick_us > ?1",
};

// Detaches the part, whatever happens.
class AttachedPart {
 public:
  explicit AttachedPart(Database& database) : database_(database) { database_.run("ATTACH ':memory:' AS part"); }
  ~AttachedPart() {
    if (sqlite3_get_autocommit(database_.get()) == 0)
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    sqlite3_exec(database_.get(), "DETACH part", nullptr, nullptr, nullptr);
  }
  AttachedPart(const AttachedPart&) = delete;
  AttachedPart& operator=(const AttachedPart&) = delete;

 private:
  Database& database_;
};

struct Free {
  void operator()(unsigned char* bytes) const { sqlite3_free(bytes); }
};

}  // namespace

std::string schema_in(std::string_view name) {
  const std::string to = std::string(name) + ".";
  std::string sql;
  const auto add = [&](std::string_view statement, std::string_view begin) {
    sql.append(begin).append(to).append(statement.substr(begin.size())).append(";");
  };
  for (const Table& table : tables) add(table.sql, "CREATE TABLE ");
  for (const std::string_view view : views) add(view, "CREATE VIEW ");
  sql += "PRAGMA " + to + "application_id = " + std::to_string(application_id) + ";";
  sql += "PRAGMA " + to + "user_version = " + std::to_string(version) + ";";
  return sql;
}

std::string part_of_recording(Database& database, double last_s) {
  const AttachedPart attached(database);
  database.run(("BEGIN;" + schema_in("part")).c_str());
  const std::uint64_t length_us = database.number("SELECT duration_us FROM main.runs").value_or(0);
  const auto last_us = static_cast<std::uint64_t>(std::clamp(last_s, 0.0, 1e9) * 1e6);
  // From the end of a tick on, so that the numbers of the account are those of the samples.
  Statement tick(database, "SELECT max(tick_us) FROM main.account WHERE tick_us <= ?1");
  tick.bind(1, length_us - std::min(length_us, last_us));
  const std::uint64_t from_us = tick.next() ? tick.number(0) : 0;
  tick.reset();
  for (const char* const sql : rows_of_part) {
    Statement insert(database, sql);
    if (sqlite3_bind_parameter_count(insert.get()) != 0) insert.bind(1, from_us);
    insert.run();
  }
  database.run("COMMIT");
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, Free> bytes(sqlite3_serialize(database.get(), "part", &size, 0));
  if (!bytes) return {};
  return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)};
}

}  // namespace profile
