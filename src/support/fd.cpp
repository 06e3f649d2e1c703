#include "support/fd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

#include "support/error.h"

namespace profile {

std::pair<Fd, Fd> new_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw system_error("cannot make a socket", errno);
  return {Fd(ends[0]), Fd(ends[1])};
}

std::pair<Fd, Fd> new_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  return {Fd(ends[0]), Fd(ends[1])};
}

void close_from(int first) noexcept {
  // close_range exists since Linux 5.9.
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  const long limit = ::sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < limit; ++fd) ::close(fd);
}

}  // namespace profile
