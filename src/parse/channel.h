// Messages, and with them descriptors, between two of our processes. Children wait for theirs; the main process never
// does: what cannot be sent at once is kept, and what has come is taken when somebody looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/fd.h"

namespace profile {

struct Message {
  std::string bytes;
  std::vector<Fd> fds;
};

// The end that waits. Whoever calls from several threads sees to it that one sends, and one receives, at a time.
class WaitingChannel {
 public:
  explicit WaitingChannel(Fd socket) : socket_(std::move(socket)) {}
  // False when the other end is gone.
  bool send(std::string_view bytes, std::span<const int> fds = {}) const;
  // nullopt when the other end is gone.
  [[nodiscard]] std::optional<Message> receive() const;
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  Fd socket_;
};

// A descriptor handed from one child to another, with the tag by which the other knows what it was told of it. False:
// the other end is gone.
bool hand_over(const WaitingChannel& to, std::uint64_t tag, int fd);
// The one with that tag; what was meant for somebody before, or came too late, is dropped. No Fd: the other end is
// gone.
[[nodiscard]] Fd take_over(const WaitingChannel& from, std::uint64_t tag);

// The end that does not wait. Takes no descriptors but where `takes_fds`: the main process wants none of a stranger's.
class Channel {
 public:
  explicit Channel(Fd socket, bool takes_fds = false);
  void send(std::string_view bytes, std::vector<Fd> fds = {});
  // One that has come; nullopt: none has.
  [[nodiscard]] std::optional<Message> take();
  // Until something may have come, or what was kept could be sent, at most so long. False: neither.
  bool wait(std::chrono::milliseconds patience);
  // The other end is gone, or broke the rules; what had come before can still be taken.
  [[nodiscard]] bool is_gone() const { return is_gone_; }
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  struct Unsent {
    std::string bytes;
    std::size_t sent = 0;
    std::vector<Fd> fds;
  };
  void flush();
  bool read_some();

  Fd socket_;
  bool takes_fds_;
  bool is_gone_ = false;
  std::deque<Unsent> unsent_;
  std::string in_;
  std::size_t taken_ = 0;  // of in_
  std::vector<Fd> in_fds_;
};

}  // namespace profile
