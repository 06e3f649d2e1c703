#include "push/http/client.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "support/error.h"

namespace profile {
namespace {

constexpr long connect_patience_ms = 5'000;
constexpr long patience_ms = 30'000;
// Of an answer with its headers. All that is read of it is its status.
constexpr std::size_t most_answer_bytes = std::size_t{64} << 10;

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  if (curl_easy_setopt(easy, option, value) != CURLE_OK) throw Error("libcurl is too old");
}

// Certificates of authorities that the user trusts, as curl(1) has them.
const char* trusted_certificates() {
  for (const char* const name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (const char* const path = std::getenv(name); path != nullptr && *path != '\0') return path;
  }
  return nullptr;
}

void set_credentials(CURL* easy, const std::string& credentials) {
  if (credentials.empty()) return;
  const bool is_password = credentials.find(':') != std::string::npos;
  set(easy, CURLOPT_HTTPAUTH, is_password ? CURLAUTH_BASIC : CURLAUTH_BEARER);
  set(easy, is_password ? CURLOPT_USERPWD : CURLOPT_XOAUTH2_BEARER, credentials.c_str());
}

std::string words_of(CURLcode code, const char* details) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return "no such host";
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "no such proxy";
    case CURLE_COULDNT_CONNECT:
      return "cannot connect";
    case CURLE_OPERATION_TIMEDOUT:
      return "no answer in time";
    case CURLE_PEER_FAILED_VERIFICATION:
      return "its certificate is refused: " + std::string(details);
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
      return "it broke off the connection";
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_WRITE_ERROR:
      return "what it answers is not HTTP, or has no end";
    default:
      return curl_easy_strerror(code);
  }
}

}  // namespace

HttpClient::HttpClient(const PushSettings& settings)
    : settings_(settings),
      multi_(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_multi_init() : nullptr),
      transfers_(settings.targets.size()) {
  if (!multi_) throw Error("--push: libcurl does not start");
  for (std::size_t i = 0; i < transfers_.size(); ++i) prepare(transfers_[i], settings.targets[i]);
}

void HttpClient::prepare(Transfer& transfer, const PushTarget& target) const {
  transfer.easy.reset(curl_easy_init());
  CURL* const easy = transfer.easy.get();
  if (easy == nullptr) throw Error("--push: libcurl does not start");
  const std::string type = "Content-Type: " + std::string(content_type_of(target.protocol));
  // Without "Expect:" a large body waits a second for the server's consent.
  for (const char* const header : {type.c_str(), "Expect:", "Connect-Protocol-Version: 1"}) {
    curl_slist* const longer = curl_slist_append(transfer.headers.get(), header);
    if (longer == nullptr) throw Error("--push: no memory");
    static_cast<void>(transfer.headers.release());
    transfer.headers.reset(longer);
  }
  set(easy, CURLOPT_URL, target.url.c_str());
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy, CURLOPT_HTTPHEADER, transfer.headers.get());
  set(easy, CURLOPT_USERAGENT, "profile/" PROFILE_VERSION);
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_patience_ms);
  set(easy, CURLOPT_TIMEOUT_MS, patience_ms);
  set(easy, CURLOPT_ERRORBUFFER, transfer.error);
  set(easy, CURLOPT_WRITEFUNCTION, take_answer);
  set(easy, CURLOPT_WRITEDATA, &transfer);
  set(easy, CURLOPT_HEADERFUNCTION, take_answer);
  set(easy, CURLOPT_HEADERDATA, &transfer);
  if (const char* const path = trusted_certificates()) set(easy, CURLOPT_CAINFO, path);
  set_credentials(easy, settings_.credentials);
}

// libcurl breaks off the transfer when it gets less than all.
std::size_t HttpClient::take_answer(const char* /*bytes*/, std::size_t size, std::size_t count,
                                    void* transfer) noexcept {
  std::size_t& answered = static_cast<Transfer*>(transfer)->answered_bytes;
  answered += size * count;
  return answered <= most_answer_bytes ? size * count : 0;
}

bool HttpClient::is_busy() const { return std::ranges::any_of(transfers_, &Transfer::is_under_way); }

void HttpClient::post(std::size_t target, std::string body) {
  Transfer& transfer = transfers_[target];
  transfer.body = std::move(body);
  transfer.answered_bytes = 0;
  transfer.error[0] = '\0';
  CURL* const easy = transfer.easy.get();
  set(easy, CURLOPT_POSTFIELDS, transfer.body.c_str());
  set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.body.size()));
  if (curl_multi_add_handle(multi_.get(), easy) != CURLM_OK) throw Error("--push: libcurl takes no request");
  transfer.is_under_way = true;
}

HttpClient::Result HttpClient::result_of(std::size_t target, CURLcode code) const {
  const Transfer& transfer = transfers_[target];
  Result result;
  result.target = target;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &result.status);
  // A server that has answered has the request, also when the rest of its answer does not come, or was cut off.
  const bool has_answered = code == CURLE_OK || code == CURLE_WRITE_ERROR || code == CURLE_OPERATION_TIMEDOUT ||
                            code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR;
  if (!has_answered) result.status = 0;
  if (result.status < 200) {
    result.status = 0;
    result.trouble = words_of(code == CURLE_OK ? CURLE_WEIRD_SERVER_REPLY : code, transfer.error);
  }
  curl_off_t wait_s = 0;
  if (curl_easy_getinfo(transfer.easy.get(), CURLINFO_RETRY_AFTER, &wait_s) == CURLE_OK) {
    result.retry_after = std::chrono::seconds(wait_s);
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
