#include "children/channel.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "children/wire.h"
#include "support/deadline.h"
#include "support/end_request.h"

namespace profile {
namespace {

// The size of a message, and how many descriptors come with it.
struct Head {
  std::uint32_t bytes = 0;
  std::uint32_t fds = 0;
};
// The names of all functions of the largest programs, or all lines of one, are some ten megabytes.
constexpr std::size_t most_message_bytes = 256 << 20;
constexpr std::size_t most_unsent_bytes = 64 << 20;
// Of messages with descriptors: what a descriptor holds may be large.
constexpr std::size_t most_unsent_with_fds = 64;
constexpr std::size_t most_fds = 8;
constexpr std::size_t chunk_bytes = 64 << 10;
// How often a wait looks whether the user wants the end.
constexpr std::chrono::milliseconds look_every{100};

using Control = std::array<char, CMSG_SPACE(most_fds * sizeof(int))>;

// Works as send(2), with descriptors.
ssize_t send_some(int socket, std::string_view bytes, std::span<const int> fds, int flags) {
  if (fds.empty()) {  // the parser may make no other call
    for (;;) {
      const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), flags | MSG_NOSIGNAL);
      if (sent >= 0 || errno != EINTR) return sent;
    }
  }
  iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  alignas(cmsghdr) Control control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* const carried = CMSG_FIRSTHDR(&header);
  carried->cmsg_level = SOL_SOCKET;
  carried->cmsg_type = SCM_RIGHTS;
  carried->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(carried), fds.data(), fds.size_bytes());
  for (;;) {
    const ssize_t sent = ::sendmsg(socket, &header, flags | MSG_NOSIGNAL);
    if (sent >= 0 || errno != EINTR) return sent;
  }
}

// Works as recv(2). Descriptors that come are added to `fds`; without `fds` the kernel drops them.
ssize_t receive_some(int socket, char* to, std::size_t size, std::vector<Fd>* fds, int flags) {
  iovec part{.iov_base = to, .iov_len = size};
  alignas(cmsghdr) Control control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (fds != nullptr) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &header, flags | MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0 || fds == nullptr) return got;
  for (cmsghdr* carried = CMSG_FIRSTHDR(&header); carried != nullptr; carried = CMSG_NXTHDR(&header, carried)) {
    if (carried->cmsg_level != SOL_SOCKET || carried->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= carried->cmsg_len; at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(carried) + at, sizeof fd);
      fds->emplace_back(fd);
    }
  }
  return got;
}

// A head, and `bytes` with which a message of `size` bytes begins.
std::string with_head(std::string_view bytes, std::size_t size, std::size_t fds) {
  std::string whole = message_of(static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(fds));
  whole += bytes;
  return whole;
}
std::string with_head(std::string_view bytes, std::size_t fds) { return with_head(bytes, bytes.size(), fds); }

bool send_all(int socket, std::string_view bytes, std::span<const int> fds) {
  while (!bytes.empty()) {
    const ssize_t sent = send_some(socket, bytes, std::exchange(fds, {}), 0);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool write_all(int pipe, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(pipe, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool receive_all(int socket, char* to, std::size_t size, std::vector<Fd>& fds, int flags) {
  while (size > 0) {
    const ssize_t got = receive_some(socket, to, size, &fds, flags);
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

// From a pipe that does not wait.
ssize_t read_at_once(int pipe, char* to, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(pipe, to, size);
    if (got >= 0 || errno != EINTR) return got;
  }
}

std::optional<Message> receive_whole(int socket, int flags) {
  Head head;
  Message message;
  if (!receive_all(socket, reinterpret_cast<char*>(&head), sizeof head, message.fds, flags)) return std::nullopt;
  if (head.bytes > most_message_bytes) return std::nullopt;
  message.bytes.resize(head.bytes);
  if (!receive_all(socket, message.bytes.data(), message.bytes.size(), message.fds, flags)) return std::nullopt;
  if (message.fds.size() != head.fds) return std::nullopt;
  return message;
}

bool has_tag(const Message& message, std::uint64_t tag) {
  return WireReader(message.bytes).get<std::uint64_t>() == tag && message.fds.size() == 1;
}

}  // namespace

// A large answer is sent from where it is: to copy it behind its head costs as much as to send it.
bool WaitingChannel::send(std::string_view bytes, std::span<const int> fds) const {
  const std::size_t beside = bytes.size() > chunk_bytes ? 0 : bytes.size();
  const std::string first = with_head(bytes.substr(0, beside), bytes.size(), fds.size());
  if (answers_) return write_all(answers_.get(), first) && write_all(answers_.get(), bytes.substr(beside));
  return send_all(socket_.get(), first, fds) && send_all(socket_.get(), bytes.substr(beside), {});
}

bool WaitingChannel::send_at_once(std::string_view bytes, std::span<const int> fds) const {
  const std::string whole = with_head(bytes, fds.size());
  if (answers_) {
    pollfd room{.fd = answers_.get(), .events = POLLOUT, .revents = 0};
    return ::poll(&room, 1, 0) > 0 && write_all(answers_.get(), whole);
  }
  // A short message is sent whole or not at all.
  return send_some(socket_.get(), whole, fds, MSG_DONTWAIT) == static_cast<ssize_t>(whole.size());
}

std::optional<Message> WaitingChannel::receive() const { return receive_whole(socket_.get(), 0); }

std::optional<Message> WaitingChannel::receive_at_once() const { return receive_whole(socket_.get(), MSG_DONTWAIT); }

std::pair<MainEnds, ChildEnds> new_one_way_ends() {
  auto [ours, its] = new_socket_pair();
  auto [from, to] = new_pipe();
  ::shutdown(ours.get(), SHUT_RD);
  ::fcntl(from.get(), F_SETFL, O_NONBLOCK);
  return {MainEnds{.socket = std::move(ours), .answers = std::move(from)},
          ChildEnds{.socket = std::move(its), .answers = std::move(to)}};
}

bool hand_over(const WaitingChannel& to, std::uint64_t tag, int fd) {
  return to.send_at_once(message_of(tag), std::span(&fd, 1));
}

Fd take_over(const WaitingChannel& from, std::uint64_t tag) {
  while (auto message = from.receive()) {
    if (has_tag(*message, tag)) return std::move(message->fds[0]);
  }
  return {};
}

Fd take_over_at_once(const WaitingChannel& from, std::uint64_t tag) {
  constexpr int most_others = 64;
  for (int i = 0; i < most_others; ++i) {
    auto message = from.receive_at_once();
    if (!message) break;
    if (has_tag(*message, tag)) return std::move(message->fds[0]);
  }
  return {};
}

Channel::Channel(Fd socket, bool takes_fds) : socket_(std::move(socket)), takes_fds_(takes_fds) {}

void Channel::send(std::string_view bytes, std::vector<Fd> fds) {
  if (is_gone_) return;
  std::size_t waiting = bytes.size();
  std::size_t with_fds = 0;
  for (const Unsent& unsent : unsent_) {
    waiting += unsent.bytes.size() - unsent.sent;
    with_fds += unsent.fds.empty() ? 0 : 1;
  }
  // A receiver that takes so little for so long is lost.
  if (waiting > most_unsent_bytes || with_fds >= most_unsent_with_fds) is_gone_ = true;
  std::string whole = with_head(bytes, fds.size());
  unsent_.push_back({.bytes = std::move(whole), .sent = 0, .fds = std::move(fds)});
  flush();
}

void Channel::flush() {
  while (!unsent_.empty() && !is_gone_) {
    Unsent& first = unsent_.front();
    std::vector<int> fds;
    if (first.sent == 0) {
      for (const Fd& fd : first.fds) fds.push_back(fd.get());
    }
    const std::string_view rest = std::string_view(first.bytes).substr(first.sent);
    const ssize_t sent = send_some(socket_.get(), rest, fds, MSG_DONTWAIT);
    if (sent < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) is_gone_ = true;
      return;
    }
    first.sent += static_cast<std::size_t>(sent);
    if (first.sent == first.bytes.size()) unsent_.pop_front();
  }
}

bool Channel::is_all_received() const {
  int unread = 0;
  return unsent_.empty() && ::ioctl(socket_.get(), SIOCOUTQ, &unread) == 0 && unread == 0;
}

void Channel::extend(const ChannelAllowance& more) {
  allowed_.messages += more.messages;
  allowed_.bytes += more.bytes;
}

void Channel::break_off() {
  is_gone_ = true;
  is_broken_ = true;
  in_.clear();
  taken_ = 0;
}

// What was taken makes room, also when the other end always sends a part of the next message. A large message must not
// hold its memory as long as the other end lives.
void Channel::drop_taken() {
  if (taken_ != in_.size() && taken_ <= chunk_bytes) return;
  in_.erase(0, taken_);
  taken_ = 0;
  if (in_.size() <= chunk_bytes && in_.capacity() > 4 * chunk_bytes) in_.shrink_to_fit();
}

// False: nothing was there.
bool Channel::read_some() {
  if (!chunk_) chunk_ = std::make_unique_for_overwrite<char[]>(chunk_bytes);
  const ssize_t got =
      answers_ ? read_at_once(answers_.get(), chunk_.get(), chunk_bytes)
               : receive_some(socket_.get(), chunk_.get(), chunk_bytes, takes_fds_ ? &in_fds_ : nullptr, MSG_DONTWAIT);
  if (got > 0) in_.append(chunk_.get(), static_cast<std::size_t>(got));
  if (in_fds_.size() > 2 * most_fds) break_off();
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) is_gone_ = true;
  return got > 0;
}

std::optional<Message> Channel::take() {
  flush();
  for (;;) {
    Head head;
    const std::size_t there = in_.size() - taken_;
    if (there >= sizeof head) {
      std::memcpy(&head, in_.data() + taken_, sizeof head);
      if (allowed_.messages == 0 || head.bytes > allowed_.bytes || (head.fds != 0 && !takes_fds_)) {
        break_off();
        return std::nullopt;
      }
      if (there - sizeof head >= head.bytes) {
        Message message;
        message.bytes = in_.substr(taken_ + sizeof head, head.bytes);
        taken_ += sizeof head + head.bytes;
        drop_taken();
        --allowed_.messages;
        allowed_.bytes -= head.bytes;
        const auto end = in_fds_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(head.fds, in_fds_.size()));
        message.fds.assign(std::make_move_iterator(in_fds_.begin()), std::make_move_iterator(end));
        in_fds_.erase(in_fds_.begin(), end);
        return message;
      }
    }
    if (is_gone_ || !read_some()) return std::nullopt;
  }
}

std::optional<Message> Channel::receive(std::chrono::milliseconds patience) {
  const Deadline deadline(patience);
  for (;;) {
    if (auto message = take()) return message;
    if (is_gone_ || deadline.is_over() || is_end_pressing()) return std::nullopt;
    wait(std::min(deadline.left(), look_every));
  }
}

bool Channel::wait(std::chrono::milliseconds patience) {
  if (is_gone_) return false;
  pollfd awaited[] = {{.fd = fd(), .events = POLLIN, .revents = 0},
                      {.fd = unsent_.empty() ? -1 : socket_.get(), .events = POLLOUT, .revents = 0}};
  const bool is_ready = ::poll(awaited, std::size(awaited), static_cast<int>(patience.count())) > 0;
  if (is_ready) flush();
  return is_ready;
}

}  // namespace profile
