#include "support/fd_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "support/error.h"

namespace profile {
namespace {

// The limit before the first change. {0, 0}: nothing was changed.
rlimit original_limit{};

// Twice what a run holds, because half of all descriptors are for the files of programs. least_fds covers most of the
// source with the most BPF programs. An online CPU needs the ring of its process records; a sampled CPU needs an event
// and its link.
constexpr std::size_t least_fds = 128;
constexpr std::size_t fds_of_online_cpu = 2;
constexpr std::size_t fds_of_sampled_cpu = 4;

}  // namespace

std::size_t needed_fds(std::size_t online_cpus, std::size_t sampled_cpus) {
  return least_fds + fds_of_online_cpu * online_cpus + fds_of_sampled_cpu * sampled_cpus;
}

std::size_t raise_fd_limit(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  if (original_limit.rlim_max == 0) original_limit = limit;
  // Only root can go beyond the hard limit, and no process can go beyond fs.nr_open.
  const rlimit beyond{wanted, std::max<rlim_t>(wanted, limit.rlim_max)};
  if (::setrlimit(RLIMIT_NOFILE, &beyond) == 0) return wanted;
  const rlimit within{std::min<rlim_t>(wanted, limit.rlim_max), limit.rlim_max};
  return ::setrlimit(RLIMIT_NOFILE, &within) == 0 ? within.rlim_cur : limit.rlim_cur;
}

void require_fds(std::size_t needed) {
  const std::size_t limit = raise_fd_limit(needed);
  if (limit >= needed) return;
  throw Error("the limit of open files is " + std::to_string(limit) + ", and a run on these CPUs needs " +
              std::to_string(needed) + "; raise it: ulimit -n " + std::to_string(needed));
}

void restore_fd_limit() noexcept {
  if (original_limit.rlim_max != 0) ::setrlimit(RLIMIT_NOFILE, &original_limit);
}

}  // namespace profile
