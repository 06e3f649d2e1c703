// HTTP by libcurl, without a wait: one request and one connection at a time for each target.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "push/pusher.h"

namespace profile {

class HttpClient {
 public:
  // `settings` must outlive this object.
  explicit HttpClient(const PushSettings& settings);

  [[nodiscard]] bool is_busy(std::size_t target) const { return transfers_[target].is_under_way; }
  [[nodiscard]] bool is_busy() const;
  // The target must not be busy.
  void post(std::size_t target, std::string body);

  struct Result {
    std::size_t target = 0;
    long status = 0;      // of HTTP; 0: there was no answer
    std::string trouble;  // why there was none
    std::chrono::seconds retry_after{0};
  };
  // Waits until something happens on the network or `fd` is readable, but not longer than `patience`. Returns the
  // requests that have come to their end.
  [[nodiscard]] std::vector<Result> wait(int fd, std::chrono::milliseconds patience);

 private:
  template <auto Free>
  struct Freed {
    void operator()(auto* handle) const noexcept { Free(handle); }
  };
  struct Transfer {
    std::unique_ptr<CURL, Freed<curl_easy_cleanup>> easy;
    std::unique_ptr<curl_slist, Freed<curl_slist_free_all>> headers;
    char error[CURL_ERROR_SIZE] = {};
    std::string body;
    std::size_t answered_bytes = 0;
    bool is_under_way = false;
  };
  static std::size_t take_answer(const char* bytes, std::size_t size, std::size_t count, void* transfer) noexcept;
  void prepare(Transfer& transfer, const PushTarget& target) const;
  [[nodiscard]] Result result_of(std::size_t target, CURLcode code) const;

  const PushSettings& settings_;
  std::unique_ptr<CURLM, Freed<curl_multi_cleanup>> multi_;
  std::deque<Transfer> transfers_;  // libcurl has their addresses
};

}  // namespace profile
