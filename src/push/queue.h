// The requests for one server that were not answered yet, in their order: in memory, or each in a file of a spool. A
// spool outlives the process, and the next queue on the same directory goes on with it.
// A file is named by its number and its samples, "0000000000000042-137.request", and holds the body of the request. It
// is written as "new.request" first, so that a file with a number is whole, unless the machine itself has failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "support/fd.h"

namespace profile {

struct QueueBounds {
  std::uint64_t bytes = 0;            // of all bodies; above it the oldest go
  std::uint64_t bytes_in_memory = 0;  // the same of those in memory
};

class RequestQueue {
 public:
  // `directory`: of a spool that only this process uses, or no Fd. Takes over what is in it.
  RequestQueue(QueueBounds bounds, Fd directory);

  struct Request {
    std::uint64_t number = 0;
    std::uint64_t samples = 0;
    std::string body;
    bool was_sent = false;  // perhaps: it was put back, or is of an earlier process
  };

  // Puts it behind the others. If its file cannot be written, it stays in memory, and trouble() says why.
  void add(std::string body, std::uint64_t samples);
  // The oldest, to be sent; nullopt: there is none. It stays in the queue, whatever the bounds are, until remove() or
  // put_back().
  [[nodiscard]] std::optional<Request> oldest();
  void remove(const Request& request);
  void put_back();

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::uint64_t requests() const { return entries_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  // When the oldest request was added, in seconds since 1970; 0: there is none.
  [[nodiscard]] std::uint64_t oldest_unix_s() const { return entries_.empty() ? 0 : entries_.front().unix_s; }
  // The samples of the requests that are only in memory.
  [[nodiscard]] std::uint64_t samples_in_memory() const { return samples_in_memory_; }
  // The samples of the requests that went because of the bounds, or whose files could not be read back.
  [[nodiscard]] std::uint64_t lost_samples() const { return lost_samples_; }
  // Why the last request could not be written to the spool; empty: it was.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  struct Entry {
    std::uint64_t number = 0;
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
    std::uint64_t unix_s = 0;         // when it was added
    std::optional<std::string> body;  // nullopt: it is in its file
    bool was_sent = false;
  };

  void take_over();
  [[nodiscard]] bool write(const Entry& entry, const std::string& body);
  void erase(const std::deque<Entry>::iterator& entry);
  void lose(const std::deque<Entry>::iterator& entry);
  void keep_bounds();
  // The oldest that may go, of all or of those in memory.
  [[nodiscard]] std::deque<Entry>::iterator oldest_idle(bool only_in_memory);

  QueueBounds bounds_;
  Fd directory_;
  std::deque<Entry> entries_;
  std::uint64_t next_number_ = 1;
  std::uint64_t sent_number_ = 0;  // of the request that oldest() gave; 0: none
  std::uint64_t bytes_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t bytes_in_memory_ = 0;
  std::uint64_t samples_in_memory_ = 0;
  std::uint64_t lost_samples_ = 0;
  std::string trouble_;
};

}  // namespace profile
