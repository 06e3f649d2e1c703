#include "push/http/client.h"

#include <algorithm>
#include <utility>

#include "support/error.h"

namespace profile {
namespace {

constexpr long patience_ms = 30'000;
// Of an answer with its headers.
constexpr std::size_t most_answer_bytes = std::size_t{64} << 10;

}  // namespace

HttpClient::HttpClient(const PushSettings& settings)
    : settings_(settings),
      multi_(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_multi_init() : nullptr),
      transfers_(settings.targets.size()) {
  if (!multi_) throw Error("libcurl does not start");
  for (std::size_t i = 0; i < transfers_.size(); ++i) prepare(transfers_[i], settings.targets[i]);
}

void HttpClient::prepare(Transfer& transfer, const PushTarget& target) const {
  transfer.easy.reset(curl_easy_init());
  CURL* const easy = transfer.easy.get();
  if (easy == nullptr) throw Error("libcurl does not start");
  const std::string type = "Content-Type: " + std::string(content_type_of(target.protocol));
  transfer.headers = request_headers({type.c_str(), "Connect-Protocol-Version: 1"});
  transfer.headers_gzipped = request_headers({type.c_str(), "Content-Encoding: gzip"});
  transfer.url = target.url;
  set_usual_options(easy, target, settings_.credentials);
  set(easy, CURLOPT_TIMEOUT_MS, patience_ms);
  set(easy, CURLOPT_ERRORBUFFER, transfer.error);
  set(easy, CURLOPT_POST, 1L);
  set(easy, CURLOPT_READFUNCTION, give_body);
  set(easy, CURLOPT_READDATA, &transfer);
  set(easy, CURLOPT_WRITEFUNCTION, take_answer);
  set(easy, CURLOPT_WRITEDATA, &transfer);
  set(easy, CURLOPT_HEADERFUNCTION, take_header);
  set(easy, CURLOPT_HEADERDATA, &transfer);
}

// libcurl breaks off the transfer when it gets less than all.
std::size_t HttpClient::take_header(const char* /*bytes*/, std::size_t size, std::size_t count,
                                    void* transfer) noexcept {
  std::size_t& answered = static_cast<Transfer*>(transfer)->answered_bytes;
  answered += size * count;
  return answered <= most_answer_bytes ? size * count : 0;
}

// From a function, because libcurl cannot go back in it: it sends a body of memory again by itself, when the server
// breaks off a connection that was used before, and the server may have taken it.
std::size_t HttpClient::give_body(char* bytes, std::size_t size, std::size_t count, void* transfer) noexcept {
  Transfer& of = *static_cast<Transfer*>(transfer);
  const std::size_t given = of.body.copy(bytes, size * count, of.sent_bytes);
  of.sent_bytes += given;
  return given;
}

std::size_t HttpClient::take_answer(const char* bytes, std::size_t size, std::size_t count, void* transfer) noexcept {
  const std::size_t taken = take_header(bytes, size, count, transfer);
  static_cast<Transfer*>(transfer)->text.append(bytes, taken);
  return taken;
}

bool HttpClient::is_busy() const { return std::ranges::any_of(transfers_, &Transfer::is_under_way); }

void HttpClient::post(std::size_t target, HttpRequest request) {
  Transfer& transfer = transfers_[target];
  transfer.body = std::move(request.body);
  transfer.text.clear();
  transfer.answered_bytes = 0;
  transfer.error[0] = '\0';
  CURL* const easy = transfer.easy.get();
  set(easy, CURLOPT_URL, (transfer.url + request.query).c_str());
  set(easy, CURLOPT_HTTPHEADER, (request.is_gzipped ? transfer.headers_gzipped : transfer.headers).get());
  transfer.sent_bytes = 0;
  set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.body.size()));
  if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK) throw Error("libcurl takes no request");
  transfer.is_under_way = true;
}

HttpClient::Result HttpClient::result_of(std::size_t target, CURLcode code) {
  Transfer& transfer = transfers_[target];
  Result result{.target = target, .answer = {.status = 0, .trouble = {}, .text = std::move(transfer.text)}};
  HttpAnswer& answer = result.answer;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  // A server that has answered has the request, also when the rest of its answer does not come, or was cut off. But a
  // store's answer is read.
  const bool is_read = settings_.targets[target].protocol == PushProtocol::clickhouse;
  const bool has_answered =
      code == CURLE_OK || (!is_read && (code == CURLE_WRITE_ERROR || code == CURLE_OPERATION_TIMEDOUT ||
                                        code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR));
  if (!has_answered) answer.status = 0;
  if (answer.status < 200) {
    answer.status = 0;
    answer.trouble = words_of(code == CURLE_OK ? CURLE_WEIRD_SERVER_REPLY : code, transfer.error);
  }
  curl_off_t wait_s = 0;
  if (curl_easy_getinfo(transfer.easy.get(), CURLINFO_RETRY_AFTER, &wait_s) == CURLE_OK) {
    answer.retry_after = std::chrono::seconds(wait_s);
  }
  return result;
}

std::vector<HttpClient::Result> HttpClient::wait(int fd, std::chrono::milliseconds patience) {
  int running = 0;
  curl_multi_perform(multi_.get(), &running);
  // Some may have come to their end now, and nothing would end the wait.
  if (running < std::ranges::count_if(transfers_, &Transfer::is_under_way)) patience = {};
  curl_waitfd awaited{.fd = fd, .events = CURL_WAIT_POLLIN, .revents = 0};
  curl_multi_poll(multi_.get(), &awaited, fd < 0 ? 0 : 1, static_cast<int>(patience.count()), nullptr);
  curl_multi_perform(multi_.get(), &running);
  std::vector<Result> results;
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const auto transfer =
        std::ranges::find_if(transfers_, [&](const Transfer& each) { return each.easy.get() == message->easy_handle; });
    const auto target = static_cast<std::size_t>(transfer - transfers_.begin());
    results.push_back(result_of(target, message->data.result));
    curl_multi_remove_handle(multi_.get(), transfer->easy.get());
    transfer->is_under_way = false;
    transfer->body = std::string();
  }
  return results;
}

}  // namespace profile
