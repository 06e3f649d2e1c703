// HTTP by libcurl, without a wait: one request and one connection at a time for each target.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "push/exchange.h"
#include "push/http/curl.h"
#include "push/pusher.h"

namespace profile {

class HttpClient {
 public:
  // `settings` must outlive this object.
  explicit HttpClient(const PushSettings& settings);

  [[nodiscard]] bool is_busy(std::size_t target) const { return transfers_[target].is_under_way; }
  [[nodiscard]] bool is_busy() const;
  // The target must not be busy.
  void post(std::size_t target, HttpRequest request);

  struct Result {
    std::size_t target = 0;
    HttpAnswer answer;
  };
  // Waits until something happens on the network or `fd` is readable, but not longer than `patience`. Returns the
  // requests that have come to their end.
  [[nodiscard]] std::vector<Result> wait(int fd, std::chrono::milliseconds patience);

 private:
  struct Transfer {
    CurlEasy easy;
    CurlHeaders headers;
    CurlHeaders headers_gzipped;  // the same, of a compressed body
    char error[CURL_ERROR_SIZE] = {};
    std::string url;
    std::string body;
    std::size_t sent_bytes = 0;
    std::string text;  // of the answer
    std::size_t answered_bytes = 0;
    bool is_under_way = false;
  };
  static std::size_t give_body(char* bytes, std::size_t size, std::size_t count, void* transfer) noexcept;
  static std::size_t take_answer(const char* bytes, std::size_t size, std::size_t count, void* transfer) noexcept;
  static std::size_t take_header(const char* bytes, std::size_t size, std::size_t count, void* transfer) noexcept;
  void prepare(Transfer& transfer, const PushTarget& target) const;
  [[nodiscard]] Result result_of(std::size_t target, CURLcode code);

  const PushSettings& settings_;
  std::unique_ptr<CURLM, FreedBy<curl_multi_cleanup>> multi_;
  std::deque<Transfer> transfers_;  // libcurl has their addresses
};

}  // namespace profile
