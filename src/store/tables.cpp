#include "store/tables.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "support/text_parts.h"

namespace profile {
namespace {

struct Column {
  std::string_view name;
  std::string_view type;
};

constexpr Column samples_columns[] = {
    {"time", "DateTime('UTC')"}, {"duration_ms", "UInt32"},   {"host", "String"},          {"service", "String"},
    {"version", "String"},       {"labels", "Array(String)"}, {"event", "String"},         {"title", "String"},
    {"unit", "String"},          {"frequency_hz", "UInt32"},  {"period_events", "UInt64"}, {"process", "String"},
    {"stack", "UInt64"},         {"value", "UInt64"},         {"samples", "UInt64"},       {"batch", "UInt64"},
};
constexpr Column stacks_columns[] = {
    {"day", "Date"}, {"service", "String"}, {"stack", "UInt64"}, {"frames", "Array(UInt64)"}};
constexpr Column frames_columns[] = {
    {"day", "Date"},          {"service", "String"},    {"frame", "UInt64"},       {"kind", "String"},
    {"name", "String"},       {"module", "String"},     {"path", "String"},        {"build_id", "String"},
    {"code_start", "UInt64"}, {"code_limit", "UInt64"}, {"code_offset", "UInt64"}, {"offset", "UInt64"},
    {"function", "UInt64"},   {"address", "UInt64"},    {"is_return", "UInt8"},    {"unnamed", "String"},
    {"file", "String"},       {"line", "UInt32"},
};

struct Table {
  std::string_view name;
  std::span<const Column> columns;
  std::string_view engine;
  std::string_view day;  // the column by which it is cut into days
  std::string_view order;
  unsigned granularity;
  std::string_view shard;  // by what a Distributed table would choose the server
};
// The order is that of inserts: what a sample needs comes first. One stack is found among others by its key, so their
// granules are smaller.
constexpr Table tables[] = {
    {frames_table, frames_columns, "ReplacingMergeTree", "day", "service, frame", 1024, "frame"},
    {stacks_table, stacks_columns, "ReplacingMergeTree", "day", "service, stack", 1024, "stack"},
    {samples_table, samples_columns, "MergeTree", "time", "service, event, time", 8192, "stack"},
};

constexpr ServerVersion with_ttl{.major = 19, .minor = 6};
// From here on whole parts are dropped, which costs nothing.
constexpr ServerVersion with_ttl_of_parts{.major = 20, .minor = 8};
// From here on an insert with a token is known again.
constexpr ServerVersion with_token_window{.major = 22, .minor = 2};
constexpr unsigned remembered_inserts = 10'000;

std::string on_cluster(const std::string& cluster) { return cluster.empty() ? "" : " ON CLUSTER " + sql_name(cluster); }

std::string columns_of(const Table& table) {
  std::string list;
  for (const auto& [name, type] : table.columns) {
    list.append(list.empty() ? "" : ", ").append(name).append(" ").append(type);
  }
  return list;
}

std::string ttl_of(const Table& table, unsigned days) {
  return "TTL " + std::string(table.day) + " + INTERVAL " + std::to_string(days) + " DAY";
}

std::string token_window() { return "non_replicated_deduplication_window = " + std::to_string(remembered_inserts); }

// Whether it is the engine, or its form for replicas, which keeps the rows the same way.
bool is_form_of(std::string_view engine, std::string_view plain) {
  for (const std::string_view prefix : {"Replicated", "Shared"}) {
    if (engine == std::string(prefix) + std::string(plain)) return true;
  }
  return engine == plain;
}

std::string create(const Table& table, const StoreTables& wanted, ServerVersion version) {
  const auto text = [](std::string_view view) { return std::string(view); };
  std::string sql = "CREATE TABLE IF NOT EXISTS " + text(table.name) + on_cluster(wanted.cluster) + " (" +
                    columns_of(table) + ") ENGINE = " + text(table.engine) + "()" + " PARTITION BY toYYYYMMDD(" +
                    text(table.day) + ") ORDER BY (" + text(table.order) + ")";
  const bool keeps = wanted.keep_days && version >= with_ttl;
  if (keeps) sql += ' ' + ttl_of(table, *wanted.keep_days);
  sql += " SETTINGS index_granularity = " + std::to_string(table.granularity);
  if (keeps && version >= with_ttl_of_parts) sql += ", ttl_only_drop_parts = 1";
  if (version >= with_token_window) {
    sql += ", " + token_window();
  }
  return sql;
}

// Reads from all servers of the cluster. Agents write to the tables of a server. The database is named, because each
// server would take another one for the current.
std::string create_distributed(const Table& table, const std::string& cluster, const std::string& database) {
  return "CREATE TABLE IF NOT EXISTS all_" + std::string(table.name) + on_cluster(cluster) + " (" + columns_of(table) +
         ") ENGINE = Distributed(" + sql_name(cluster) + ", " + sql_name(database) + ", " + std::string(table.name) +
         ")";
}

}  // namespace

std::vector<std::string> StoreTables::statements(ServerVersion version) const {
  std::vector<std::string> all;
  for (const Table& table : tables) all.push_back(create(table, *this, version));
  if (cluster.empty()) return all;
  for (const Table& table : tables) all.push_back(create_distributed(table, cluster, database));
  return all;
}

std::vector<std::string> StoreTables::changes(ServerVersion version) const {
  std::vector<std::string> all;
  for (const Table& table : tables) {
    const std::string change = "ALTER TABLE " + std::string(table.name) + on_cluster(cluster) + " MODIFY ";
    if (version >= with_token_window) all.push_back(change + "SETTING " + token_window());
    if (keep_days && version >= with_ttl) all.push_back(change + ttl_of(table, *keep_days));
  }
  return all;
}

std::string store_columns() {
  std::string lines;
  for (const Table& table : tables) {
    for (const auto& [name, type] : table.columns) {
      lines.append(table.name).append(" ").append(name).append(" ").append(type).append("\n");
    }
  }
  return lines;
}

std::string engines_query() {
  return "SELECT name, engine, partition_key, sorting_key FROM system.tables WHERE database = currentDatabase() AND "
         "name "
         "IN ('frames', 'samples', 'stacks') ORDER BY name FORMAT TabSeparated";
}

std::string fault_of_engines(std::string_view answer) {
  while (!answer.empty()) {
    std::string_view line = take_until(answer, '\n');
    const std::string_view name = take_until(line, '\t');
    const auto* const table = std::ranges::find(tables, name, &Table::name);
    if (table == std::end(tables)) return "it lists the table " + std::string(name);
    const std::string_view engine = take_until(line, '\t');
    const std::string_view partition = take_until(line, '\t');
    const bool is_alike = is_form_of(engine, table->engine) &&
                          partition == "toYYYYMMDD(" + std::string(table->day) + ")" && line == table->order;
    if (!is_alike) {
      return "the table " + std::string(name) + " is not a " + std::string(table->engine) +
             " table partitioned by day and ordered by " + std::string(table->order);
    }
  }
  return "";
}

bool has_ttl(ServerVersion version) { return version >= with_ttl; }

std::string old_partitions_query(unsigned keep_days) {
  return "SELECT DISTINCT table, partition FROM system.parts WHERE database = currentDatabase() AND active AND table "
         "IN "
         "('frames', 'samples', 'stacks') AND partition < toString(toYYYYMMDD(today() - " +
         std::to_string(keep_days) + ")) ORDER BY partition, table FORMAT TabSeparated";
}

std::string drop_partition(std::string_view table, std::string_view partition, const std::string& cluster) {
  return "ALTER TABLE " + sql_name(table) + on_cluster(cluster) + " DROP PARTITION " + std::string(partition);
}

std::string insert_into(std::string_view name) {
  const Table& table = *std::ranges::find(tables, name, &Table::name);
  std::string list;
  for (const Column& column : table.columns) list.append(list.empty() ? "" : ",").append(column.name);
  return "INSERT INTO " + std::string(name) + '(' + list + ") FORMAT RowBinary";
}

std::string sql_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string quoted = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      quoted.append({'\\', c});
    } else if (byte < ' ' || byte == 0x7f) {
      quoted.append({'\\', 'x', digits[byte >> 4], digits[byte & 15]});
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

std::string sql_name(std::string_view name) {
  std::string quoted = "`";
  for (const char c : name) {
    if (c == '`' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '`';
}

}  // namespace profile
