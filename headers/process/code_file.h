// A file whose code some process has mapped. One object a file, however many processes share it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "model/profile.h"
#include "support/fd.h"

namespace profile {

// What makes a file the same file, whatever path leads to it: as /proc/PID/maps and the side-band records tell it. (On
// btrfs and overlayfs stat() tells another device.)
struct FileIdentity {
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

// Which process had a file mapped, and where: what it takes to open the file.
struct MappedBy {
  std::uint32_t tgid = 0;
  bool own_mounts = false;  // as far as is known it sees the same mounts as we do
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// What fstat said when the file was opened. A difference later means that the content may be another.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

class CodeFiles;

class CodeFile {
 public:
  // Another number, another file: the place of one that was forgotten is used again.
  std::uint64_t number = 0;
  FileIdentity identity;
  std::string path;  // as the process that first mapped it saw it; for messages and for the module's short name only
  Unnamed unreadable = Unnamed::named;  // why fd() has none: file_gone or file_changed; `named` while it has one

  // Open for reading, verified to be a regular file of this identity whose content has not changed since it was mapped;
  // -1: see `unreadable`. Use it at once: it belongs to the timeline, which may close it when another file is asked for
  // its own.
  [[nodiscard]] int fd();
  // When it was opened; 0 if it never was.
  [[nodiscard]] std::uint64_t size_bytes() const { return stamp_.size_bytes; }

 private:
  friend class CodeFiles;
  CodeFiles* keeper_ = nullptr;
  Fd fd_;
  FileStamp stamp_;
  MappedBy mapped_by_;
  std::uint64_t last_use_ = 0;
  std::uint64_t checked_in_batch_ = 0;
  std::uint32_t generation_ = 0;  // of the inode; 0: not known
  std::uint32_t failures_ = 0;
  std::uint64_t unmapped_since_ns_ = 0;  // 0: it is mapped, as far as was asked
};

}  // namespace profile
