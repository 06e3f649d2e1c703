// SQLite with owners for its handles and exceptions for its errors.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/error.h"

namespace profile {

// `code()` is SQLite's own, SQLITE_FULL for example.
class DatabaseError : public Error {
 public:
  DatabaseError(int code, const std::string& text) : Error(text), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

class Database;

// A prepared statement. Indices of parameters count from 1, and those of columns from 0, as SQLite's own.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);

  void bind(int index, std::uint64_t value);
  void bind(int index, std::string_view text);  // `text` must live until reset(); an empty one is NULL
  void bind_null(int index);
  // Runs it to its end, and makes it ready for the next run.
  void run();
  // Whether there is a (further) row. At the end it is ready for the next run.
  [[nodiscard]] bool next();
  void reset();

  [[nodiscard]] sqlite3_stmt* get() const { return statement_.get(); }
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::uint64_t number(int column) const;
  [[nodiscard]] std::string_view text(int column) const;  // valid until the next row

 private:
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
};

class Database {
 public:
  // `path` may be a URI if `flags` have SQLITE_OPEN_URI. `name` is the name of the file in errors.
  Database(const std::string& path, int flags, std::string name);

  void run(const char* sql);
  // The number that a query returns; nullopt: no row, or NULL.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view sql);
  // The text that a query returns.
  [[nodiscard]] std::string text(std::string_view sql);
  void check(int code) const;  // throws DatabaseError unless it is SQLITE_OK
  [[nodiscard]] sqlite3* get() const { return handle_.get(); }
  // Closes the file. Errors do not matter any more.
  void close() { handle_.reset(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace profile
