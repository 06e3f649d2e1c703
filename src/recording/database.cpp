#include "recording/database.h"

#include <utility>

namespace profile {

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  database.check(sqlite3_prepare_v3(database.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                    &statement, nullptr));
  statement_.reset(statement);
}

void Statement::bind(int index, std::uint64_t value) {
  database_.check(sqlite3_bind_int64(statement_.get(), index, static_cast<sqlite3_int64>(value)));
}

void Statement::bind(int index, std::string_view text) {
  if (text.empty()) return bind_null(index);
  database_.check(
      sqlite3_bind_text(statement_.get(), index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
}

void Statement::bind_null(int index) { database_.check(sqlite3_bind_null(statement_.get(), index)); }

void Statement::run() {
  while (next()) {
  }
}

bool Statement::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) database_.check(code);
  return false;
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}

std::string_view Statement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Database::Database(const std::string& path, int flags, std::string name) : name_(std::move(name)) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  check(code);
  sqlite3_extended_result_codes(handle, 0);
  // Somebody may look into the file at the moment in which it must be locked: when a recording begins or ends.
  constexpr int patience_ms = 2000;
  sqlite3_busy_timeout(handle, patience_ms);
}

void Database::run(const char* sql) { check(sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr)); }

std::optional<std::uint64_t> Database::number(std::string_view sql) {
  Statement query(*this, sql);
  if (!query.next() || query.is_null(0)) return std::nullopt;
  return query.number(0);
}

std::string Database::text(std::string_view sql) {
  Statement query(*this, sql);
  return query.next() ? std::string(query.text(0)) : "";
}

void Database::check(int code) const {
  if (code == SQLITE_OK) return;
  const char* const why = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  throw DatabaseError(code & 0xff, name_ + ": " + why);
}

}  // namespace profile
