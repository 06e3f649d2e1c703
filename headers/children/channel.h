// Carries messages, with descriptors, between two of our processes. Children wait for messages; the main process never
// waits. It keeps what cannot be sent at once, and takes what has come when it looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
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

// A child that may be taken over, and may send descriptors to others, answers in a pipe, and its socket carries only
// what is sent to it. Otherwise the main process would get descriptors that it does not want, and to close one may take
// for ever.
struct ChildEnds {
  Fd socket;
  Fd answers;
};
struct MainEnds {
  Fd socket;
  Fd answers;
};
// Throws Error.
[[nodiscard]] std::pair<MainEnds, ChildEnds> new_one_way_ends();

// The end that waits. Callers in several threads must make sure that only one sends, and only one receives, at a time.
class WaitingChannel {
 public:
  explicit WaitingChannel(Fd socket) : socket_(std::move(socket)) {}
  // Of a child that answers in a pipe. It can send no descriptors.
  explicit WaitingChannel(ChildEnds ends) : socket_(std::move(ends.socket)), answers_(std::move(ends.answers)) {}
  // False when the other end is gone.
  bool send(std::string_view bytes, std::span<const int> fds = {}) const;
  // As send(), but does not wait. False also when the other end has not read what was sent before.
  bool send_at_once(std::string_view bytes, std::span<const int> fds) const;
  // nullopt when the other end is gone.
  [[nodiscard]] std::optional<Message> receive() const;
  // As receive(), but does not wait. nullopt also when no whole message has come; then nothing more can be received.
  [[nodiscard]] std::optional<Message> receive_at_once() const;
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  Fd socket_;
  Fd answers_;  // none: answers go into the socket
};

// Hands a descriptor from one child to another. With the tag the other child knows which file it is. False: the other
// end is gone, or it does not read.
bool hand_over(const WaitingChannel& to, std::uint64_t tag, int fd);
// The descriptor with that tag. Others, which came for an earlier question or too late, are dropped. No Fd: the other
// end is gone.
[[nodiscard]] Fd take_over(const WaitingChannel& from, std::uint64_t tag);
// The same of an end that may lie: it does not wait. No Fd: the descriptor has not come.
[[nodiscard]] Fd take_over_at_once(const WaitingChannel& from, std::uint64_t tag);

// What the other end may send until the next allow(). A child that a hostile file has taken over could otherwise fill
// the memory, or keep this process reading for ever.
struct ChannelAllowance {
  std::size_t messages = 0;
  std::size_t bytes = 0;  // of all messages together
};

// The end that does not wait. It takes descriptors only with `takes_fds`: the main process wants none of an untrusted
// file.
class Channel {
 public:
  // Nothing may come before the first allow().
  explicit Channel(Fd socket, bool takes_fds = false);
  explicit Channel(MainEnds ends) : socket_(std::move(ends.socket)), answers_(std::move(ends.answers)) {}
  void send(std::string_view bytes, std::vector<Fd> fds = {});
  // Replaces what is left of the last allowance; extend() adds to it.
  void allow(const ChannelAllowance& allowance) { allowed_ = allowance; }
  void extend(const ChannelAllowance& more);
  // Nothing more is sent or taken, as if the other end were gone.
  void give_up() { is_gone_ = true; }
  // Whether the other end has received all that was sent, whatever it says.
  [[nodiscard]] bool is_all_received() const;
  // A message that has come; nullopt: none has come.
  [[nodiscard]] std::optional<Message> take();
  // Waits for a message, but not longer than `patience` and not when the user wants the end.
  [[nodiscard]] std::optional<Message> receive(std::chrono::milliseconds patience);
  // Waits until something may have come or a kept message could be sent, but not longer than `patience`. False:
  // neither.
  bool wait(std::chrono::milliseconds patience);
  // The other end is gone or broke the rules. Messages that came before can still be taken.
  [[nodiscard]] bool is_gone() const { return is_gone_; }
  // The other end broke the rules.
  [[nodiscard]] bool is_broken() const { return is_broken_; }
  // Readable when something has come.
  [[nodiscard]] int fd() const { return answers_ ? answers_.get() : socket_.get(); }
  // The memory for messages that come.
  [[nodiscard]] std::size_t held_bytes() const { return in_.capacity(); }

 private:
  struct Unsent {
    std::string bytes;
    std::size_t sent = 0;
    std::vector<Fd> fds;
  };
  void flush();
  bool read_some();
  void drop_taken();
  void break_off();

  Fd socket_;
  Fd answers_;  // none: answers come through the socket
  bool takes_fds_ = false;
  bool is_gone_ = false;
  bool is_broken_ = false;
  ChannelAllowance allowed_;
  std::deque<Unsent> unsent_;
  std::unique_ptr<char[]> chunk_;  // where the kernel puts what comes
  std::string in_;
  std::size_t taken_ = 0;  // how much of in_ was taken
  std::vector<Fd> in_fds_;
};

}  // namespace profile
