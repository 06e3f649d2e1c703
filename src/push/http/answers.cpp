#include "push/http/answers.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "children/wire.h"
#include "push/child.h"
#include "push/http/curl.h"
#include "push/retry.h"
#include "push/store_request.h"
#include "support/error.h"

namespace profile {
namespace {

constexpr long patience_s = 600;
// The server sends nothing while a statement runs, which on a cluster takes minutes.
constexpr long most_silence_s = 300;
constexpr std::size_t most_exception_bytes = std::size_t{16} << 10;
// The server answers when it has all, so that an error is one by its status.
constexpr const char* settings = "&wait_end_of_query=1";

struct Answer {
  CURL* easy = nullptr;
  const WaitingChannel& main_process;
  std::uint64_t left_bytes = 0;
  bool is_too_long = false;
  std::string exception = {};  // the body of an answer that is none
};

std::size_t take(const char* bytes, std::size_t size, std::size_t count, void* into) noexcept {
  Answer& answer = *static_cast<Answer*>(into);
  std::string_view text(bytes, size * count);
  long status = 0;
  curl_easy_getinfo(answer.easy, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) {
    const std::size_t room = most_exception_bytes - std::min(most_exception_bytes, answer.exception.size());
    answer.exception.append(text.substr(0, room));
    return room == 0 ? 0 : text.size();
  }
  answer.is_too_long = text.size() > answer.left_bytes;
  if (answer.is_too_long) return 0;
  answer.left_bytes -= text.size();
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), most_piece_bytes))) {
    if (!answer.main_process.send(message_of(AskerWord::piece, text.substr(0, most_piece_bytes)))) return 0;
  }
  return size * count;
}

// Empty: the answer is whole.
std::string trouble_of(CURLcode code, const Answer& answer, const char* details) {
  if (answer.is_too_long) return "its answer is too long";
  long status = 0;
  curl_easy_getinfo(answer.easy, CURLINFO_RESPONSE_CODE, &status);
  const bool is_failure = status != 0 && status != 200;
  if (is_failure) {
    if (const auto exception = exception_in(answer.exception)) {
      return (status == 401 || status == 403 ? "it wants other credentials: " : "") + exception->text;
    }
    const std::string why = answer_of_status(status).why;
    return why.empty() ? "status " + std::to_string(status) : why;
  }
  return code == CURLE_OK ? "" : words_of(code, details);
}

}  // namespace

void answer_queries(const PushTarget& store, const std::string& credentials, const WaitingChannel& main_process) {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw Error("libcurl does not start");
  const CurlEasy easy(curl_easy_init());
  if (!easy) throw Error("libcurl does not start");
  char details[CURL_ERROR_SIZE] = {};
  const CurlHeaders headers = request_headers({"Content-Type: text/plain"});
  set_usual_options(easy.get(), store, credentials);
  set(easy.get(), CURLOPT_URL, (store.url + settings).c_str());
  set(easy.get(), CURLOPT_HTTPHEADER, headers.get());
  set(easy.get(), CURLOPT_TIMEOUT, patience_s);
  set(easy.get(), CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(easy.get(), CURLOPT_LOW_SPEED_TIME, most_silence_s);
  set(easy.get(), CURLOPT_ERRORBUFFER, details);
  set(easy.get(), CURLOPT_WRITEFUNCTION, take);
  while (const auto message = main_process.receive()) {
    WireReader in(message->bytes);
    in.allow_text(message->bytes.size());
    const std::string sql(in.text());
    Answer answer{.easy = easy.get(), .main_process = main_process, .left_bytes = in.get<std::uint64_t>()};
    set(easy.get(), CURLOPT_POSTFIELDS, sql.c_str());
    set(easy.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(sql.size()));
    set(easy.get(), CURLOPT_WRITEDATA, &answer);
    details[0] = '\0';
    const CURLcode code = curl_easy_perform(easy.get());
    const std::string trouble = trouble_of(code, answer, details);
    if (!main_process.send(message_of(AskerWord::end, trouble))) return;
  }
}

}  // namespace profile
