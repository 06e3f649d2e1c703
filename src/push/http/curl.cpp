#include "push/http/curl.h"

#include <cstdlib>

namespace profile {
namespace {

constexpr long connect_patience_ms = 5'000;

// Certificates of authorities that the user trusts, as curl(1) has them.
const char* trusted_certificates() {
  for (const char* const name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (const char* const path = std::getenv(name); path != nullptr && *path != '\0') return path;
  }
  return nullptr;
}

// A user in the URL has the password of the credentials, which may begin with that user and a colon. A password may
// have colons, too.
void set_credentials(CURL* easy, const std::string& credentials, const std::string& user) {
  if (credentials.empty() && user.empty()) return;
  const bool has_user = user.empty() ? credentials.find(':') != std::string::npos : credentials.starts_with(user + ':');
  const std::string basic = user.empty() || has_user ? credentials : user + ':' + credentials;
  const bool is_password = has_user || !user.empty();
  set(easy, CURLOPT_HTTPAUTH, is_password ? CURLAUTH_BASIC : CURLAUTH_BEARER);
  set(easy, is_password ? CURLOPT_USERPWD : CURLOPT_XOAUTH2_BEARER, basic.c_str());
}

}  // namespace

CurlHeaders request_headers(std::initializer_list<const char*> lines) {
  CurlHeaders headers;
  const auto add = [&headers](const char* line) {
    curl_slist* const longer = curl_slist_append(headers.get(), line);
    if (longer == nullptr) throw Error("libcurl: no memory");
    static_cast<void>(headers.release());
    headers.reset(longer);
  };
  for (const char* const line : lines) add(line);
  add("Expect:");  // with it, a large body waits a second for the server's consent
  return headers;
}

void set_usual_options(CURL* easy, const PushTarget& target, const std::string& credentials) {
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy, CURLOPT_USERAGENT, "profile/" PROFILE_VERSION);
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_patience_ms);
  if (const char* const path = trusted_certificates()) set(easy, CURLOPT_CAINFO, path);
  set_credentials(easy, credentials, target.user);
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
    case CURLE_SEND_FAIL_REWIND:
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

}  // namespace profile
