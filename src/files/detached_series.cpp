#include "files/detached_series.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "support/error.h"

namespace profile {
namespace {

// For calls that do not block; waits until the deadline. Returns an errno.
template <class Way>
int move_in_time(int fd, short events, const Deadline& deadline, Way way, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = way(done);
    const bool must_wait = moved < 0 && errno == EAGAIN;
    if (moved > 0) {
      done += static_cast<std::size_t>(moved);
    } else if (must_wait && !is_ready_in_time(fd, events, deadline)) {
      return ETIMEDOUT;
    } else if (!must_wait && (moved == 0 || errno != EINTR)) {
      return EIO;
    }
  }
  return 0;
}

}  // namespace

// Starts a child if there is none. False: the last child is still stuck. Throws Error.
bool DetachedSeries::has_started() {
  if (child_ && socket_) return true;
  if (child_ && !child_->is_gone()) return false;
  child_.reset();
  child_.emplace([this](const Fd& socket) { return serve(socket); });
  socket_ = child_->take_socket();
  return true;
}

SeriesFiles::Outcome DetachedSeries::ask(const Request& request, const char* bytes) {
  const Deadline deadline(patience_with_writing);
  const int fd = socket_.get();
  const auto send = [&](const void* from, std::size_t size) {
    const auto part = [&](std::size_t done) {
      return ::send(fd, static_cast<const char*>(from) + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
    };
    return move_in_time(fd, POLLOUT, deadline, part, size);
  };
  Answer answer;
  const auto receive = [&](std::size_t done) {
    return ::recv(fd, reinterpret_cast<char*>(&answer) + done, sizeof answer - done, MSG_DONTWAIT);
  };
  int error = send(&request, sizeof request);
  if (error == 0) error = send(bytes, request.bytes);
  if (error == 0) error = move_in_time(fd, POLLIN, deadline, receive, sizeof answer);
  SeriesFiles::Outcome outcome{.failure = answer.failure.failure(), .again = answer.again};
  if (error != 0) {
    child_->abandon();
    socket_.reset();
    outcome.failure = {.error = error};
  }
  if (outcome.failure.error == ETIMEDOUT) outcome.failure.why = takes_nothing;
  return outcome;
}

SeriesFiles::Outcome DetachedSeries::try_out() {
  static_cast<void>(has_started());
  return ask({.is_trial = true}, nullptr);
}

SeriesFiles::Outcome DetachedSeries::write(std::uint64_t unix_ns, const std::function<void(std::ostream&)>& print) {
  try {
    if (!has_started()) return {.failure = {.error = ETIMEDOUT, .why = takes_nothing}};
    std::ostringstream out;
    print(out);
    const std::string text = std::move(out).str();
    return ask({.unix_ns = unix_ns, .bytes = text.size()}, text.data());
  } catch (const Error& error) {
    return {.failure = {.error = ECANCELED, .why = error.what()}};
  }
}

bool DetachedSeries::finish() {
  if (!child_ || !socket_) return true;  // the loss was reported before
  socket_.reset();
  return child_->finish(Deadline(patience_with_writing)) != ETIMEDOUT;
}

int DetachedSeries::serve(const Fd& socket) try {
  const auto take = [&](char* at, std::size_t bytes) { return ::read(socket.get(), at, bytes); };
  const auto give = [&](const char* at, std::size_t bytes) { return ::write(socket.get(), at, bytes); };
  files_.may_wait();
  Request request;
  while (move_all(take, reinterpret_cast<char*>(&request), sizeof request) == 0) {
    std::string text(request.bytes, '\0');
    if (move_all(take, text.data(), text.size()) != 0) return EIO;
    SeriesFiles::Outcome outcome;
    if (request.is_trial) {
      outcome = files_.try_out();
    } else {
      outcome = files_.write(request.unix_ns, [&](std::ostream& out) { out << text; });
    }
    Answer answer{.failure = SentFailure(outcome.failure), .again = outcome.again};
    if (move_all(give, reinterpret_cast<char*>(&answer), sizeof answer) != 0) return EIO;
    if (outcome.failure.error != 0 || request.is_trial) continue;
    files_.note_written(request.unix_ns, outcome.again);
    files_.remove_old();
  }
  return 0;
} catch (const std::exception&) {
  return EIO;
}

}  // namespace profile
