#include "support/file_status.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace profile {
namespace {

std::int64_t ns_of(const timespec& time) { return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec; }

}  // namespace

std::optional<FileStatus> status_of(int fd) {
  struct stat found {};
  // The C library's fstat() calls newfstatat. A sandbox cannot allow that, because it also takes a path.
#ifdef SYS_fstat
  const long result = ::syscall(SYS_fstat, fd, &found);
#else
  const int result = ::fstat(fd, &found);
#endif
  if (result != 0) return std::nullopt;
  return FileStatus{.device = found.st_dev,
                    .inode = found.st_ino,
                    .size_bytes = static_cast<std::uint64_t>(std::max<off_t>(found.st_size, 0)),
                    .allocated_bytes = static_cast<std::uint64_t>(std::max<blkcnt_t>(found.st_blocks, 0)) * S_BLKSIZE,
                    .modified_ns = ns_of(found.st_mtim),
                    .changed_ns = ns_of(found.st_ctim),
                    .links = static_cast<std::uint32_t>(found.st_nlink),
                    .owner = found.st_uid,
                    .group = found.st_gid,
                    .mode = found.st_mode};
}

}  // namespace profile
