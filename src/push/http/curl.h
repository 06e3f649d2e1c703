// What all of our uses of libcurl share.
#pragma once

#include <curl/curl.h>

#include <initializer_list>
#include <memory>
#include <string>

#include "push/target.h"
#include "support/error.h"

namespace profile {

template <auto Free>
struct FreedBy {
  void operator()(auto* handle) const noexcept { Free(handle); }
};
using CurlEasy = std::unique_ptr<CURL, FreedBy<curl_easy_cleanup>>;
using CurlHeaders = std::unique_ptr<curl_slist, FreedBy<curl_slist_free_all>>;

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  if (curl_easy_setopt(easy, option, value) != CURLE_OK) throw Error("libcurl is too old");
}

// The lines, and none that libcurl adds to a large body. Throws Error.
[[nodiscard]] CurlHeaders request_headers(std::initializer_list<const char*> lines);
// HTTP 1.1, the time to connect, certificates and credentials. Throws Error.
void set_usual_options(CURL* easy, const PushTarget& target, const std::string& credentials);
// Why there was no answer. `details`: of CURLOPT_ERRORBUFFER.
[[nodiscard]] std::string words_of(CURLcode code, const char* details);

}  // namespace profile
