#include "push/exchange.h"

#include <utility>

#include "support/ascii.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// The first version that has insert_deduplication_token.
constexpr ServerVersion with_tokens{.major = 22, .minor = 2};
// The first one that may answer before it has written an insert, if its user is set up so.
constexpr ServerVersion with_async_inserts{.major = 21, .minor = 11};

class SinglePost final : public Exchange {
 public:
  explicit SinglePost(std::string body) : body_(std::move(body)) {}
  HttpRequest request() override { return {.query = {}, .body = std::exchange(body_, {})}; }
  std::optional<ServerAnswer> take(const HttpAnswer& answer) override {
    if (answer.status == 0) return ServerAnswer{.fate = RequestFate::again, .why = answer.trouble};
    return answer_of_status(answer.status);
  }

 private:
  std::string body_;
};

// ClickHouse's numbers of errors that say that the rows are damaged. Those of a stream that was cut off may be the
// network's fault, so they are believed when they come again and again.
bool is_fault_of_rows(unsigned code) {
  constexpr unsigned input_assertion_failed = 27;
  constexpr unsigned syntax_error = 62;
  constexpr unsigned incorrect_data = 117;
  return code == input_assertion_failed || code == syntax_error || code == incorrect_data;
}
bool is_cut_off(unsigned code) {
  constexpr unsigned cannot_read_all_data = 33;
  constexpr unsigned inflate_failed = 354;
  return code == cannot_read_all_data || code == inflate_failed;
}
constexpr unsigned most_cut_off = 5;

bool is_of_missing_table(unsigned code) {
  constexpr unsigned unknown_table = 60;
  constexpr unsigned unknown_database = 81;
  return code == unknown_table || code == unknown_database;
}

// First its tables are looked at, and then come the inserts. Whether the rows of the last one are there already is
// asked as late as possible, because the server may still be at work on the first try.
class StoreExchange final : public Exchange {
 public:
  StoreExchange(const std::string& body, bool may_be_there, StoreServer& server)
      : request_(store_request_of(body)), server_(server), is_to_count_(may_be_there) {}

  HttpRequest request() override {
    if (!request_) return {};
    if (!server_.version) return {.query = {}, .body = columns_query(request_->tables)};
    if (counts_now()) return {.query = {}, .body = request_->count};
    StoreInsert& insert = request_->inserts[next_];
    const std::string id = request_->batch + '-' + std::to_string(next_);
    std::string query = "&query_id=" + id + "&query=" + percent_encoded(insert.sql);
    if (*server_.version >= with_async_inserts) query += "&async_insert=0";
    if (*server_.version >= with_tokens) query += "&insert_deduplication_token=" + id;
    return {.query = std::move(query), .body = std::exchange(insert.rows, {}), .is_gzipped = true};
  }

  std::optional<ServerAnswer> take(const HttpAnswer& answer) override {
    if (!request_) return ServerAnswer{.fate = RequestFate::never, .why = "a request in the spool is damaged"};
    if (auto failure = failure_of(answer)) {
      server_.version.reset();
      return failure;
    }
    if (!server_.version) return look_at_tables(answer.text);
    if (counts_now()) {
      is_to_count_ = false;
      return look_at_count(answer.text);
    }
    if (!answer.text.empty()) return strange();
    server_.cut_off = 0;
    if (++next_ < request_->inserts.size()) return std::nullopt;
    return ServerAnswer{.fate = RequestFate::accepted, .why = {}};
  }

 private:
  [[nodiscard]] bool counts_now() const { return is_to_count_ && next_ + 1 == request_->inserts.size(); }
  static ServerAnswer again(std::string why) { return {.fate = RequestFate::again, .why = std::move(why)}; }
  ServerAnswer strange() {
    server_.version.reset();
    return again("what it answers is not ClickHouse's");
  }

  std::optional<ServerAnswer> failure_of(const HttpAnswer& answer) {
    if (answer.status == 0) return again(answer.trouble);
    // It may come with status 200, when the answer had begun.
    if (const auto exception = exception_in(answer.text)) {
      server_.cut_off = is_cut_off(exception->code) ? server_.cut_off + 1 : 0;
      const bool is_damaged = is_fault_of_rows(exception->code) || server_.cut_off >= most_cut_off;
      const RequestFate fate = is_damaged ? RequestFate::never : RequestFate::again;
      std::string why = answer.status == 401 || answer.status == 403 ? "it wants other credentials: " : "";
      return ServerAnswer{
          .fate = fate, .why = why + exception->text, .lacks_tables = is_of_missing_table(exception->code)};
    }
    if (answer.status == 200) return std::nullopt;
    ServerAnswer refusal = answer_of_status(answer.status);
    if (refusal.why.empty()) refusal.why = "status " + std::to_string(answer.status);
    // Only of an insert it says something about the rows.
    const bool is_of_insert = server_.version && !counts_now();
    if (refusal.fate != RequestFate::never || !is_of_insert) refusal.fate = RequestFate::again;
    return refusal;
  }

  std::optional<ServerAnswer> look_at_tables(std::string_view text) {
    const auto found = tables_in(text, request_->tables);
    if (!found) return strange();
    if (!found->missing.empty()) {
      ServerAnswer answer = again("the table's column " + found->missing + " is not as this program makes it");
      if (!found->has_any) answer.why = "the database has no tables for profiles; profile store init makes them";
      answer.lacks_tables = true;
      return answer;
    }
    server_.version = found->version;
    return std::nullopt;
  }

  std::optional<ServerAnswer> look_at_count(std::string_view answer) {
    const std::string_view line = take_until(answer, '\n');
    const auto rows = parse_number<std::uint64_t>(line);
    if (!rows || !answer.empty()) return strange();
    if (*rows == 0) return std::nullopt;
    return ServerAnswer{.fate = RequestFate::accepted, .why = {}};
  }

  std::optional<StoreRequest> request_;
  StoreServer& server_;
  bool is_to_count_;
  std::size_t next_ = 0;  // insert
};

}  // namespace

std::unique_ptr<Exchange> exchange_of(const PushTarget& target, std::string body, bool may_be_there,
                                      StoreServer& server) {
  if (target.protocol != PushProtocol::clickhouse) return std::make_unique<SinglePost>(std::move(body));
  return std::make_unique<StoreExchange>(body, may_be_there, server);
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.') {
      encoded += c;
    } else {
      encoded.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
  }
  return encoded;
}

}  // namespace profile
