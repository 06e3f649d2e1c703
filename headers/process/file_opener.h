// Opens a file that a process had mapped, without trusting that process: what this root program reads there was put in
// place by somebody else. May wait for ever, as long as the file system does: only the opener child does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "process/code_file.h"
#include "support/fd.h"
#include "support/mounts.h"

namespace profile {

struct OpenedFile {
  Fd fd;
  Unnamed reason = Unnamed::file_gone;  // when there is no fd
  FileStamp stamp;                      // empty of a file that grows
};

class FileOpener {
 public:
  OpenedFile open(const FileIdentity& identity, std::string_view path, const MappedBy& mapped_by);
  // nullopt when it cannot be told.
  [[nodiscard]] static std::optional<FileStamp> stamp(int fd);
  // Whether no name leads to it any more; false when that cannot be told.
  [[nodiscard]] static bool is_deleted(int fd);

 private:
  enum class Route : std::uint8_t { map_files, path };
  struct Wanted {
    FileIdentity identity;
    bool grows = false;  // a jitdump, which is mapped before it is written: it may be empty
  };
  OpenedFile verified(const Fd& place, Route route, const Wanted& wanted, std::uint32_t tgid);

  Mounts mounts_;
};

}  // namespace profile
