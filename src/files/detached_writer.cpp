#include "files/detached_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "files/open_output.h"
#include "files/place.h"
#include "support/error.h"

namespace profile {
namespace {

// Whether the main process still wants the file: finish() keeps the socket open, abandon() closes it.
bool is_wanted(const Fd& socket) { return ::send(socket.get(), "", 1, MSG_NOSIGNAL) == 1; }

// Returns an errno.
int copy(const Fd& socket, OpenedOutput& output) {
  static std::array<char, 1 << 16> buffer;
  const int to = output.fd.get();
  const auto write = [to](const char* at, std::size_t bytes) { return ::write(to, at, bytes); };
  for (bool is_cut = false;;) {
    const ssize_t got = ::read(socket.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0 && !is_cut && !is_wanted(socket)) {
      remove_unwritten(output.made_in, output.made_name, output.device, output.inode);
      return 0;
    }
    if (!is_cut && ::ftruncate(to, 0) != 0) return errno;
    is_cut = true;
    if (got == 0) return ::close(output.fd.release()) == 0 ? 0 : errno;
    if (const int error = move_all(write, buffer.data(), static_cast<std::size_t>(got)); error != 0) return error;
  }
}

}  // namespace

DetachedWriter::DetachedWriter(const std::string& path, Readers readers)
    : child_([&](const Fd& socket) { return serve(socket, path, readers); }), socket_(child_.take_socket()) {
  ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  if (!is_ready_in_time(socket_.get(), POLLIN, Deadline(patience_with_writing))) {
    throw unwritable(path, ETIMEDOUT, true);
  }
  if (::recv(socket_.get(), &opened_, sizeof opened_, 0) != sizeof opened_) opened_.failure.error = EIO;
  if (opened_.failure.error != 0) throw unwritable(path, opened_.failure.failure());
}

int DetachedWriter::finish(const Fd& socket) {
  ::shutdown(socket.get(), SHUT_WR);
  return child_.finish(Deadline(patience_with_writing));
}

void DetachedWriter::abandon(Fd socket) {
  socket.reset();
  static_cast<void>(child_.finish(Deadline(patience_with_writing)));
}

int DetachedWriter::serve(const Fd& socket, const std::string& path, Readers readers) {
  OpenedOutput output = open_output(find_file(path), readers);
  const Opened opened{.failure = SentFailure(output.failure), .device = output.device, .inode = output.inode};
  if (::send(socket.get(), &opened, sizeof opened, MSG_NOSIGNAL) != sizeof opened) return EIO;
  return output.fd ? copy(socket, output) : output.failure.error;
}

}  // namespace profile
