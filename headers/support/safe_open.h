// Opens as root what somebody else put in place. What lies at a path is looked at first, without touching it (O_PATH),
// and then exactly that is opened for reading, not what has taken its place since: no FIFO blocks, no device acts. A
// file system that a process or a server serves may make us wait for ever: strangers' files are opened by the opener
// child alone. Whose the file must be, and which, its caller knows.
#pragma once

#include <linux/openat2.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

#include "support/fd.h"
#include "support/mounts.h"

namespace profile {

// What lies at `path` seen from `directory` (or AT_FDCWD). `flags` as of open(), `resolve` as of openat2(), where links
// like those in /proc are never followed. No Fd: errno says why.
[[nodiscard]] Fd open_path(int directory, const std::string& path, std::uint64_t flags, std::uint64_t resolve);

struct Look {
  struct statx found {};
  // Where no block device stands behind the file; elsewhere, and where nobody can say, its type is empty.
  MountLine mount;
  bool is_memory = false;  // a memfd: nobody serves it, and no path leads to it
  // Null: a regular file that can be reopened. Otherwise what it is instead: "a directory".
  const char* refusal = nullptr;
};
// Asks no file server. `tgid`: the process that sees the path, 0 for ourselves. nullopt: errno says why.
[[nodiscard]] std::optional<Look> look_at(const Fd& path, Mounts& mounts, std::uint32_t tgid);

// The path, open for reading. Only after look_at() has refused nothing.
[[nodiscard]] Fd reopen(const Fd& path);

}  // namespace profile
