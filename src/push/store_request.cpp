#include "push/store_request.h"

#include <algorithm>
#include <limits>

#include "children/wire.h"
#include "output/clean_text.h"
#include "support/ascii.h"
#include "support/text_parts.h"

namespace profile {

constexpr auto wire_fields(const StoreInsert&) { return std::tuple(&StoreInsert::sql, &StoreInsert::rows); }
constexpr auto wire_fields(const StoreRequest&) {
  return std::tuple(&StoreRequest::batch, &StoreRequest::tables, &StoreRequest::count, &StoreRequest::inserts);
}

namespace {

// The first bytes of a body. The number is of its form.
constexpr std::string_view begin = "profile-store-1\n";
constexpr std::size_t most_inserts = 16;

// The texts of ClickHouse's tables have a backslash before a quote.
std::string without_backslashes(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '\\');
  return plain;
}

std::optional<ServerVersion> version_of(std::string_view text) {
  Scan scan(text);
  ServerVersion version;
  if (!scan.number(version.major) || !scan.skip(".") || !scan.number(version.minor)) return std::nullopt;
  return version;
}

}  // namespace

std::string body_of(const StoreRequest& request) {
  std::string body(begin);
  append_value(body, request);
  return body;
}

std::optional<StoreRequest> store_request_of(std::string_view body) {
  if (!body.starts_with(begin)) return std::nullopt;
  WireReader in(body.substr(begin.size()));
  in.allow_text(std::numeric_limits<std::size_t>::max());
  in.allow_elements(most_inserts);
  StoreRequest request;
  in.read(request);
  if (!in.is_whole() || request.inserts.empty()) return std::nullopt;
  return request;
}

std::string columns_query(std::string_view tables) {
  std::string names;
  std::string_view before;
  while (!tables.empty()) {
    std::string_view line = take_until(tables, '\n');
    const std::string_view table = take_until(line, ' ');
    // The tables may come from a spool.
    const auto is_plain = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
    if (table == before || !std::ranges::all_of(table, is_plain)) continue;
    names.append(names.empty() ? "'" : ", '").append(table).append("'");
    before = table;
  }
  return "SELECT version(), table, name, type FROM system.columns WHERE database = currentDatabase() AND table IN (" +
         names + ") ORDER BY table, name FORMAT TabSeparated";
}

std::optional<FoundTables> tables_in(std::string_view answer, std::string_view tables) {
  FoundTables found;
  std::vector<std::string> columns;
  while (!answer.empty()) {
    std::string_view line = take_until(answer, '\n');
    const auto version = version_of(take_until(line, '\t'));
    const std::string_view table = take_until(line, '\t');
    const std::string_view column = take_until(line, '\t');
    if (!version || table.empty() || column.empty() || line.empty()) return std::nullopt;
    found.version = *version;
    columns.push_back(std::string(table) + ' ' + std::string(column) + ' ' + without_backslashes(line));
  }
  while (!tables.empty()) {
    const std::string_view line = take_until(tables, '\n');
    std::string_view rest = line;
    const std::string_view table = take_until(rest, ' ');
    const auto is_of_table = [&](const std::string& each) { return each.starts_with(std::string(table) + ' '); };
    found.has_any |= std::ranges::any_of(columns, is_of_table);
    if (found.missing.empty() && std::ranges::find(columns, line) == columns.end()) {
      found.missing = std::string(table) + '.' + std::string(take_until(rest, ' '));
    }
  }
  return found;
}

std::optional<StoreException> exception_in(std::string_view answer) {
  constexpr std::size_t most_bytes = 240;
  constexpr std::string_view mark = "DB::Exception: ";
  Scan scan(answer);
  StoreException exception;
  const bool has_code = scan.skip("Code: ") && scan.number(exception.code);
  const std::size_t at = answer.find(mark);
  if (!has_code && at == std::string_view::npos) return std::nullopt;
  std::string_view text = at == std::string_view::npos ? answer : answer.substr(at + mark.size());
  for (const std::string_view end : {", e.what()", " (version", ": While", ", Stack trace", "\n"}) {
    text = text.substr(0, text.find(end));
  }
  while (text.ends_with('.')) text.remove_suffix(1);
  exception.text = clean_text(text.substr(0, most_bytes));
  return exception;
}

}  // namespace profile
