#include "support/safe_open.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>

namespace profile {
namespace {

// The device of all memfds, which is mounted nowhere. 0 when the kernel has no memfds.
dev_t memory_device() {
  static const dev_t device = [] {
    struct stat found {};
    const Fd memory(::memfd_create("", MFD_CLOEXEC));
    return memory && ::fstat(memory.get(), &found) == 0 ? found.st_dev : dev_t{0};
  }();
  return device;
}

}  // namespace

Fd open_path(int directory, const std::string& path, std::uint64_t flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | flags;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
}

std::optional<Look> look_at(const Fd& path, Mounts& mounts, std::uint32_t tgid) {
  Look look;
  constexpr unsigned wanted = STATX_BASIC_STATS | STATX_MNT_ID;
  if (::statx(path.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, wanted, &look.found) != 0) return std::nullopt;
  const auto device = makedev(look.found.stx_dev_major, look.found.stx_dev_minor);
  look.is_memory = device == memory_device();
  if (look.found.stx_dev_major == 0 && !look.is_memory) {
    look.mount = mounts.at(look.found.stx_mnt_id, device, tgid);
  }
  if (!S_ISREG(look.found.stx_mode)) {
    look.refusal = S_ISDIR(look.found.stx_mode) ? "a directory" : "not a regular file";
  }
  return look;
}

Fd reopen(const Fd& path) {
  char name[64];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", path.get());
  return Fd(::open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace profile
