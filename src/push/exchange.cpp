#include "push/exchange.h"

#include <utility>

#include "support/ascii.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// The first version that has insert_deduplication_token.
constexpr ServerVersion with_tokens{.major = 22, .minor = 2};

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

// First its tables are looked at, then whether the rows are there already, and then come the inserts.
class StoreExchange final : public Exchange {
 public:
  StoreExchange(const std::string& body, bool may_be_there, StoreServer& server)
      : request_(store_request_of(body)), server_(server), is_to_count_(may_be_there) {}

  HttpRequest request() override {
    if (!request_ || !server_.version) return {.query = {}, .body = std::string(columns_query)};
    if (is_to_count_) return {.query = {}, .body = request_->count};
    StoreInsert& insert = request_->inserts[next_];
    const std::string id = request_->batch + '-' + std::to_string(next_);
    std::string query = "&query_id=" + id + "&query=" + percent_encoded(insert.sql);
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
    if (std::exchange(is_to_count_, false)) return look_at_count(answer.text);
    if (!answer.text.empty()) return strange();
    server_.cut_off = 0;
    if (++next_ < request_->inserts.size()) return std::nullopt;
    return ServerAnswer{.fate = RequestFate::accepted, .why = {}};
  }

 private:
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
      return ServerAnswer{.fate = fate, .why = why + exception->text};
    }
    if (answer.status == 200) return std::nullopt;
    const std::string why = answer_of_status(answer.status).why;
    return again(why.empty() ? "status " + std::to_string(answer.status) : why);
  }

  std::optional<ServerAnswer> look_at_tables(std::string_view answer) {
    const auto found = tables_in(answer, request_->tables);
    if (!found) return strange();
    if (!found->has_any) return again("the database has no tables for profiles; profile store init makes them");
    if (!found->missing.empty())
      return again("the table's column " + found->missing + " is not as this program makes it");
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
