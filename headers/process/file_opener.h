// Opens a file that a process had mapped, without trusting that process: this program runs as root, and another user
// put the file there. Opening may wait for ever if the file system does, so only the opener child does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "process/code_file.h"
#include "process/file_rights.h"
#include "support/fd.h"
#include "support/mounts.h"

namespace profile {

struct OpenedFile {
  Fd fd;
  FileFault reason = FileFault::gone;  // why there is no fd
  FileStamp stamp;                     // empty for a file that grows
  std::uint64_t owner = 0;             // ContentOwners::of()
  bool is_mapped = false;              // the process has it mapped now, or runs it
};

class FileOpener {
 public:
  OpenedFile open(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by);
  // As open(), but only what the process has mapped now and whose owner is not just claimed. So nothing is asked of
  // what the user of the process serves.
  OpenedFile open_owned(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by);
  // nullopt when it cannot be found out.
  [[nodiscard]] static std::optional<FileStamp> stamp(int fd);
  // Since the file had that stamp; empty: only whether it was deleted since. `same` when it cannot be found out.
  [[nodiscard]] static FileState state(int fd, const FileStamp& before);

 private:
  enum class Route : std::uint8_t { map_files, path };
  struct Wanted {
    FileIdentity identity;
    bool grows = false;     // a jitdump, which is mapped before it is written: it may be empty
    bool is_owned = false;  // it is opened only if its owner is not just claimed
  };
  OpenedFile verified(const Fd& place, Route route, const Wanted& wanted, const MappedBy& mapped_by);

  Mounts mounts_;
  ContentOwners owners_;
};

}  // namespace profile
