#include "support/socket_pair.h"

#include <sys/socket.h>

#include <cerrno>

#include "support/error.h"

namespace profile {

std::pair<Fd, Fd> new_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw system_error("cannot make a socket", errno);
  return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace profile
