#include "support/close_from.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace profile {

void close_from(int first) noexcept {
  // close_range exists since Linux 5.9.
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  const long limit = ::sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < limit; ++fd) ::close(fd);
}

}  // namespace profile
