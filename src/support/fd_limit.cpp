#include "support/fd_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace profile {
namespace {

// What was in force before the first change. {0, 0}: nothing was changed.
rlimit original{};

}  // namespace

std::size_t raise_fd_limit(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  if (original.rlim_max == 0) original = limit;
  // Beyond the hard limit only root may go, and nobody beyond fs.nr_open.
  const rlimit beyond{wanted, std::max<rlim_t>(wanted, limit.rlim_max)};
  if (::setrlimit(RLIMIT_NOFILE, &beyond) == 0) return wanted;
  const rlimit within{std::min<rlim_t>(wanted, limit.rlim_max), limit.rlim_max};
  return ::setrlimit(RLIMIT_NOFILE, &within) == 0 ? within.rlim_cur : limit.rlim_cur;
}

void restore_fd_limit() noexcept {
  if (original.rlim_max != 0) ::setrlimit(RLIMIT_NOFILE, &original);
}

}  // namespace profile
