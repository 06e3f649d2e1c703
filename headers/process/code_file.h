// A file whose code some process has mapped. One object a file, however many processes share it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "model/profile.h"

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
  // Why it cannot be read: file_gone, file_changed, no_answer, parser_gave_up, too_large, or file_malformed of memory
  // that holds no program.
  // `named` while it can, or while that is not known yet.
  Unnamed unreadable = Unnamed::named;

  // Whoever keeps it open for us (file_keeper.h) does so under `number`: a regular file of this identity.
  [[nodiscard]] bool is_open() const { return is_open_; }
  // It is of no use: it is closed, and not opened again unless it is mapped anew.
  void give_up(Unnamed reason);
  // Who mapped it lately: by whose eyes its path is to be read.
  [[nodiscard]] const MappedBy& mapped_by() const { return mapped_by_; }
  // Nobody has had it mapped for a while: it is closed as soon as what was sampled in it is named.
  [[nodiscard]] bool is_leaving() const { return is_leaving_; }
  // When it was opened; 0 if it never was.
  [[nodiscard]] std::uint64_t size_bytes() const { return stamp_.size_bytes; }

 private:
  friend class CodeFiles;
  CodeFiles* files_ = nullptr;
  std::uint32_t place_ = 0;  // in them
  bool is_open_ = false;
  bool is_asked_ = false;  // to be opened, and there is no answer yet
  bool is_leaving_ = false;
  bool is_deleted_ = false;               // it was when it was let go: nobody can map it again
  std::optional<std::uint32_t> same_as_;  // the place of the file that it has turned out to be
  FileStamp stamp_;
  MappedBy mapped_by_;
  std::optional<MappedBy> also_mapped_by_;  // since it was asked for: another way to it, should the first lead nowhere
  std::uint64_t last_use_ = 0;
  std::uint64_t checked_in_batch_ = 0;
  std::uint32_t generation_ = 0;  // of the inode; 0: not known
  std::uint32_t failures_ = 0;
  std::uint64_t unused_since_ns_ = 0;    // no process maps it now; 0: one does, as far as was asked
  std::uint64_t unmapped_since_ns_ = 0;  // no process is known that mapped it; likewise
};

}  // namespace profile
