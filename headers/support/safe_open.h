// Opens files that another user put in place, as root. The caller first looks at the file without touching it (O_PATH),
// and then opens exactly that file for reading: so no FIFO blocks and no device acts.
// A file system that a process or a server serves can block us for ever: only the opener child opens other users'
// files. The caller checks that it is the right file, and its owner.
#pragma once

#include <linux/openat2.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

#include "support/fd.h"
#include "support/mounts.h"

namespace profile {

// The file at `path`, relative to `directory` (or AT_FDCWD). `flags` are as of open(), `resolve` as of openat2(); links
// like those in /proc are never followed. An empty Fd means an error: errno says why.
[[nodiscard]] Fd open_path(int directory, const std::string& path, std::uint64_t flags, std::uint64_t resolve);

struct Look {
  struct statx found {};
  // set only when no block device holds the file; its type is empty when it is unknown
  MountLine mount;
  bool is_memory = false;  // a memfd: no process serves it, and no path leads to it
  // nullptr: a regular file that can be reopened. Otherwise what it is: "a directory".
  const char* refusal = nullptr;
};
// Never waits for a file server. `tgid`: the process that sees the path, 0 for ourselves. nullopt: errno says why.
[[nodiscard]] std::optional<Look> look_at(const Fd& path, Mounts& mounts, std::uint32_t tgid);

// Opens the file of `path` for reading. Call it only if look_at() has set no refusal.
[[nodiscard]] Fd reopen(const Fd& path);

}  // namespace profile
